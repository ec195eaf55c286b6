//! What a metric measures and a fact says, in terms that judging and drawing know: they ask for roles, never for a
//! monitor's names.

/// Defines roles with the names that the run folder has for them.
macro_rules! roles {
    ($(#[$about:meta])* $of:ident { $($(#[$doc:meta])* $role:ident = $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $of {
            $($(#[$doc])* $role,)*
        }

        impl $of {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$role),*];

            /// Its name in the run folder.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$role => $name,)*
                }
            }

            /// The role of that name; `None` for one of a later version.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|role| role.name() == name)
            }
        }
    };
}

roles! {
    /// What a fact says, as far as it is treated alike whoever captured it. Most facts have none: they are listed, and
    /// compared between runs.
    FactRole {
        /// Cores of a machine: a number, with or without words after it.
        Cores = "cores",
        /// Version of a server that the monitor asked itself, such as a database.
        Server = "server",
        /// What runs a program, with its version: a virtual machine.
        Runtime = "runtime",
        /// The most memory that a program gives itself: a heap, a buffer pool.
        OwnMemory = "own_memory",
        /// The most memory that others let it have.
        MemoryLimit = "memory_limit",
        /// The disk on which data is stored, and its file system.
        Disk = "disk",
        /// Indexes of stored data.
        Indexes = "indexes",
        /// What something is called; no property of what was tested.
        Label = "label",
        /// True of one run or moment alone, or of how the monitor works: no property of what was tested.
        Passing = "passing",
    }
}

roles! {
    /// What a metric measures, as far as it is treated alike whoever measures it. Most metrics have none: they are drawn
    /// and judged by their unit and kind alone.
    Role {
    /// Processor time in use: of a machine as a share of all its cores, of processes in cores.
    Processor = "processor",
    /// Its part in programs.
    ProcessorUser = "processor_user",
    /// Its part in the kernel.
    ProcessorSystem = "processor_system",
    /// Idle time in which a disk or network was waited for.
    ProcessorWait = "processor_wait",
    /// Idle time.
    ProcessorIdle = "processor_idle",
    /// Processor time that a hypervisor gave to other guests.
    Steal = "steal",
    /// Tasks that run or could run; of threads the share of the time for which they were ready and did not run.
    RunQueue = "run_queue",
    /// Share of the time in which a resource other than a processor was in use.
    Busy = "busy",
    /// Memory in use by processes.
    Memory = "memory",
    /// Addresses that processes reserved.
    ReservedMemory = "reserved_memory",
    /// The most memory that processes may use.
    MemoryLimit = "memory_limit",
    /// Memory in use on a machine.
    MachineMemory = "machine_memory",
    /// Memory of a machine in all.
    MachineMemoryTotal = "machine_memory_total",
    /// Memory that is not in use.
    FreeMemory = "free_memory",
    /// Memory on a disk: how much of it is there, or in use.
    Swap = "swap",
    /// A collected heap: objects, garbage among them.
    Heap = "heap",
    /// What a heap has taken from the machine.
    HeapCommitted = "heap_committed",
    /// The most that a heap may hold.
    HeapLimit = "heap_limit",
    /// What a collection left of a heap; no value where none was.
    HeapFloor = "heap_floor",
    /// The old generation of a heap.
    OldHeap = "old_heap",
    /// The most that it may hold.
    OldHeapLimit = "old_heap_limit",
    /// What a collection of it left.
    OldHeapFloor = "old_heap_floor",
    /// Something else of a heap that rises and falls with every collection.
    HeapPart = "heap_part",
    /// Collections of the young generation.
    YoungCollections = "young_collections",
    /// Collections of the whole heap.
    FullCollections = "full_collections",
    /// Collections while the program runs.
    ConcurrentCollections = "concurrent_collections",
    /// Time for which collections stopped the program.
    CollectionTime = "collection_time",
    /// Share of the time for which collections stopped the program.
    CollectionShare = "collection_share",
    /// Connections by what they do.
    Connections = "connections",
    /// Connections in all.
    Connected = "connected",
    Threads = "threads",
    /// Descriptors in use.
    Descriptors = "descriptors",
    /// How many are queued.
    Queue = "queue",
    /// How many wait for something else, or are being worked on.
    Waiting = "waiting",
    /// Locks that are held or waited for.
    Locks = "locks",
    /// By how much a copy is behind.
    Lag = "lag",
    /// How far something has been read: a count that may be set back, and does not begin anew for that.
    Offset = "offset",
    /// Members of a consumer group.
    Members = "members",
    /// Those of them that have nothing to consume.
    IdleMembers = "idle_members",
    /// Partitions that members of a consumer group have.
    Assigned = "assigned",
    /// How much is stored.
    Stored = "stored",
    /// What comes in, or is read; drawn against [`Role::Out`] where a monitor has both.
    In = "in",
    /// What goes out, or is written.
    Out = "out",
    /// What comes in over a network.
    NetworkIn = "network_in",
    /// What goes out over a network.
    NetworkOut = "network_out",
    }
}

impl Role {
    /// What the author of a study means by the name of a metric of theirs, a number at a moment.
    pub fn of_named(name: &str) -> Option<Self> {
        const STORED: [&str; 3] = ["_size", "_rows", "_records"];
        const WAIT: [&str; 7] = ["queue", "lock", "wait", "pending", "backlog", "open", "running"];
        Some(match name {
            "lag" => Self::Lag,
            "queue" => Self::Queue,
            "locks" | "locks_waiting" | "waiting" => Self::Locks,
            "size" | "depth" | "rows" | "records" => Self::Stored,
            name if STORED.iter().any(|end| name.ends_with(end)) => Self::Stored,
            "members" => Self::Members,
            "idle_members" => Self::IdleMembers,
            "assigned" => Self::Assigned,
            "connections" => Self::Connections,
            "connected" => Self::Connected,
            "threads" => Self::Threads,
            "descriptors" => Self::Descriptors,
            "run_queue" => Self::RunQueue,
            "rows_read" => Self::In,
            "rows_written" => Self::Out,
            "bytes_in" => Self::NetworkIn,
            "bytes_out" => Self::NetworkOut,
            name if WAIT.iter().any(|word| name.contains(word)) => Self::Waiting,
            _ => return None,
        })
    }

    /// Whether it is of a heap that is collected, which rises and falls with every collection: levels, steps and nearness
    /// to a bound mean nothing in it.
    pub const fn is_of_heap(self) -> bool {
        matches!(
            self,
            Self::Heap
                | Self::HeapCommitted
                | Self::HeapLimit
                | Self::HeapFloor
                | Self::OldHeap
                | Self::OldHeapLimit
                | Self::OldHeapFloor
                | Self::HeapPart
                | Self::YoungCollections
                | Self::FullCollections
                | Self::ConcurrentCollections
                | Self::CollectionTime
                | Self::CollectionShare
        )
    }

    /// Whether it is memory that passes, bounds others or lies elsewhere, and no memory that is held.
    pub const fn is_not_held(self) -> bool {
        matches!(
            self,
            Self::MemoryLimit
                | Self::ReservedMemory
                | Self::Stored
                | Self::Swap
                | Self::MachineMemoryTotal
                | Self::FreeMemory
                | Self::HeapLimit
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_found_by_its_name_and_no_name_stands_twice() {
        for role in Role::ALL {
            assert_eq!(Role::from_name(role.name()), Some(*role));
        }
        for role in FactRole::ALL {
            assert_eq!(FactRole::from_name(role.name()), Some(*role));
        }
        assert_eq!(Role::from_name("of tomorrow"), None);
    }

    #[test]
    fn a_name_of_the_author_says_what_is_meant() {
        assert_eq!(Role::of_named("messages_pending"), Some(Role::Waiting));
        assert_eq!(Role::of_named("lag"), Some(Role::Lag));
        assert_eq!(Role::of_named("loans"), None);
    }
}
