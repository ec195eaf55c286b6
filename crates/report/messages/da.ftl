# Det danske katalog. Hele sætninger; størrelser kommer færdigskrevne ind, med deres enhed.
# Et antal står en gang til som tal under sit navn med `_n`, af hensyn til flertalsformerne.

## Page

page-skip = Gå til rapporten
page-brand = performancetestrapport
page-theme = Lys eller mørk
page-contents = Indhold
page-hint = Træk hen over en figur over tid for at zoome ind, dobbeltklik for at zoome ud. Et navn ved en linje slår linjen fra. Med tastaturet: pile, + og −.
page-footer-runs = Lavet af loadproof udelukkende ud fra bevismaterialet fra kørslerne på denne side: samme bevismateriale og version giver de samme bytes. JSON-filen ved siden af denne side indeholder det samme til programmer.
page-footer = Lavet af loadproof udelukkende ud fra bevismaterialet fra denne kørsel: samme bevismateriale, studie og version giver den samme rapport, byte for byte. Hver tabel findes også som CSV-fil i mappen »tables« med uafrundede tal; »result.json« indeholder afgørelserne i maskinlæsbar form.
page-figure = Figur
page-observation = Observation
page-assessment = Vurdering
page-numbers = Tegnede værdier
page-table = Tabel
page-of-pages = Side { $page } af { $pages }
table-thinned = Her vises én af hver { $stride } rækker; alle rækker findes i { $file }.
folded-title = { $what } ({ $rows_n ->
    [one] én række
   *[other] { $rows } rækker
})
on-page-only = Kun på websiden; tallene ligger i mappen »tables«:

## Words

phase-word = { $phase ->
    [idle] tomgang
    [ramp] optrapning
    [warm_up] opvarmning
    [hold] plateau
    [drain] tømning
    [recovery] genopretning
   *[other] { $phase }
}
verdict-word = { $verdict ->
    [met] overholdt
    [not_met] ikke overholdt
    [cannot_tell] kan ikke afgøres
   *[other] { $verdict }
}
validity-word = { $validity ->
    [valid] gyldig
    [questionable] tvivlsom
    [invalid] ugyldig
   *[other] { $validity }
}
severity-word = { $severity ->
    [must] skal
    [should] bør
    [informative] til orientering
   *[other] { $severity }
}
gravity-word = { $gravity ->
    [info] til orientering
    [notice] bemærkning
    [warning] advarsel
    [blocker] blokerende
   *[other] { $gravity }
}
outcome-word = { $outcome ->
    [ok] lykkedes
    [failed] mislykkedes
    [all] alle
   *[other] { $outcome }
}
book-word = { $book ->
    [intended] planlagt
    [started] startet
    [dropped] bortfaldet
    [completed] gennemført
    [failed] mislykket
    [aborted] afbrudt
    [open] stadig åben
   *[other] { $book }
}
class-word = { $class ->
    [refused] afvist
    [reset] forbindelse nulstillet
    [timeout] timeout
    [partial] ufuldstændigt svar
    [status] forkert status
    [wrong] forkert svar
    [fault] fejlsvar
    [missing] mangler
    [late] for sent
    [duplicate] dublet
    [unordered] i forkert rækkefølge
    [bad_study] fejl i studiet
    [no_resource] generator uden ressourcer
    [aborted] afskåret
    [dropped] aldrig startet
   *[other] { $class }
}
side-word = { $side ->
    [target] netværk eller system
    [study] studie
    [generator] generator
    [stop] kørslens afslutning
   *[other] { $side }
}
cpu-part = { $part ->
    [user] user
    [system] system
    [wait] I/O-vent
    [steal] afgivet
   *[other] { $part }
}
percentile-name = p{ $percentile }
exact = eksakt
measured-too-short = for kort til at fremskrive
measured-hourly = { $hourly } i timen
signs-planned = afsluttet, af { $planned } planlagt
signs-others = { $others_n ->
    [one] og i ét andet trin
   *[other] og i { $others } andre trin
}
interval = { $low } til { $high }
places = { $count } steder, { $first } til { $last }
worst-of = det værste af { $count } steder: { $list }
any-of = ét sted i hvert scenarie er nok; af { $count } steder: { $list }
worst-of-same = det værste af { $count } steder; { $verdict ->
    [met] overholdt alle steder
    [not_met] ikke overholdt noget sted
   *[other] kan ikke afgøres noget sted
}
in-all = i alt
no-interval = intet interval
all-steps = Alle trin
unchanged = uændret
used-yes = ja
used-no = nej
identified-yes = kontrolleret før belastningen
identified-no = ikke den forventede
planned-length = planlagt { $planned }
code-without-args = { $code }.
code-with-args = { $code }: { $list }.

## Title block

title-field = { $field ->
    [organisation] Organisation
    [address] Adresse
    [contact] Kontakt
    [version] Rapportversion
    [status] Status
    [date] Dato
    [readers] Læsere
    [history] Dokumenthistorik
    [distribution] Fordelingsliste
    [changes] Ændringer siden sidste rapport
   *[other] { $field }
}
title-study = Studie
title-run = Kørsel
title-started = Starttid
title-ended = Sluttid
title-no-end = ikke registreret
title-made-by = Målt med
title-study-hash = Studiets SHA-256
title-fingerprint = Fingeraftryk af studie og data
title-measurement = Måling
history-version = Version
history-date = Dato
history-author = Forfatter
history-changes = Ændringer
mark-trial = Prøvekørsel
mark-trial-text = Studiet er forkortet til omkring { $asked } (faser og ventetider til { $factor } af deres længde). Hastigheder, brugere og grænser er studiets egne; en fuld kørsel kan vise noget andet.
mark-killed = Afbrudt udefra
mark-killed-text = Kørslen har ingen afslutning: processen blev dræbt, eller maskinen gik ned. Rapporten dækker det, der var registreret indtil da.
mark-aborted = Standset
mark-aborted-text = En stopregel i studiet standsede kørslen, før planen var gennemført: { $text }.
mark-interrupted = Afbrudt
mark-interrupted-text = Kørslen blev standset i hånden, før planen var gennemført. { $text }
mark-generator = Generatoren svigtede
mark-generator-text = Belastningsgeneratoren kunne ikke fortsætte. { $text }
mark-target = Systemet ubrugeligt
mark-target-text = Det testede system kunne ikke bruges til ende. { $text }
mark-altered = Ændret bevismateriale
mark-altered-text = Bevismateriale mangler, kan ikke læses eller er ændret, efter at det blev forseglet: { $files }.
mark-torn = Beskadiget bevismateriale
mark-torn-text = En del af optagelsen er gået tabt og er udeladt. { $damage }

## Management summary

summary-title = Ledelsesresumé
bottom-invalid = Målingen er ugyldig og siger derfor intet om systemet: det er ikke vist for noget krav, om det er overholdt.
bottom-partly-invalid = Målingen blev forstyrret. { $rest_n ->
    [0] Alle { $all } afgørelser om skal-krav står ved magt
   *[other] Af { $all } afgørelser om skal-krav står { $stand } ved magt
}, fordi forstyrrelsen ikke kan have ændret dem: { $not_met_n ->
    [0] { $met_n ->
        [one] den er »overholdt«
       *[other] alle »overholdt«
    }
   *[other] { $met } overholdt, { $not_met } ikke overholdt
}.
bottom-nothing = Studiet stiller ingen krav, så intet vurderes; tallene beskriver kørslen.
bottom-no-must = Intet krav i studiet er et skal-krav; afgørelserne nedenfor afgør ikke noget i sig selv.
bottom-met = { $all_n ->
    [one] Det eneste skal-krav er overholdt.
   *[other] Alle { $all } skal-krav er overholdt.
}
bottom-open = Af { $all } skal-krav er { $met } overholdt, og { $open } kan ikke afgøres ud fra denne kørsel.
bottom-not-met = Af { $all } skal-krav er { $not_met } ikke overholdt og { $met } overholdt{ $open_n ->
    [0] { "" }
   *[other] ; { $open } kan ikke afgøres
}.
bottom-verdicts = De er vurderet { $all } steder: { $met } »overholdt«, { $not_met } »ikke overholdt«, { $open } »kan ikke afgøres«.
bottom-marks = Forbehold for kørslen: { $marks }.
validity-text = { $validity ->
    [valid] Alle { $signs } gyldighedskontroller blev bestået. Afgørelserne gælder, som de står.
    [questionable] Målingen blev forstyrret. Afgørelser, som forstyrrelsen ikke kan have ændret, står fast; ethvert andet »overholdt« bliver til »kan ikke afgøres«.
   *[other] Målingen blev i de dele, der er nævnt her, ødelagt af noget andet end det testede system. Kun de afgørelser, som det ikke kan have ændret, er taget med.
}
validity-more = og { $left } mere i tabellen over gyldighedskontroller
table-verdicts = Krav og afgørelser
table-verdicts-each = Afgørelser alle steder
note-verdicts = Under en målt værdi står dens interval. Det er et 90 %-interval: en afgørelse afhænger af én ende, og hver ende rammer ved siden af i 5 % af sådanne kørsler. Tabellerne over svartider viser 95 %-intervaller, som er lidt bredere. »Eksakt« står der, hvor hvert kald er talt, og intet er skønnet. »Hvor« er scenarie/trin.
note-verdicts-worst = Et krav, der er vurderet flere steder, har én række: den for det værste sted. Afgørelserne for alle steder står i en tabel for sig.
note-verdicts-any = Hvor ét sted i hvert scenarie er nok, står det bedste sted i et scenarie for de andre.
table-glance = Overblik over de vurderede dele
note-glance = Tider gælder kald, der lykkedes. »Kald« tæller alle, der sluttede; andelen af mislykkede er en andel af dem. Intervaller står i kapitlerne om scenarierne.
note-glance-beyond = Ud over en grænse betyder ✗, at kravet ikke er overholdt dér, og ?, at det ikke kan afgøres.
note-glance-left = { $left_n ->
    [one] Yderligere én række står i kapitlet om dens scenarie.
   *[other] Yderligere { $left } rækker står i kapitlerne om scenarierne.
}
table-workloads = Tider for hver forespørgsel efter arbejdsbelastning, med ændringen i forhold til den belastning, der sammenlignes med
note-workloads = Ved hver værdi står ændringen i forhold til belastningen med fed skrift ovenfor, som en forskel, hvor den er mere end tidobbelt. ≠ er en påvist forskel, = påvist lighed, ? ingen af delene, × kan ikke sammenlignes; intervaller og grunde står i kapitlet om sammenligninger. »≥« er en nedre grænse: kald blev afbrudt ved timeout.
workload-calls = { $count_n ->
    [one] af ét kald
   *[other] hver af mindst { $count } kald
}
note-workload-failed = { $sign } { $share } af de { $count } kald af { $exchange } i { $scenario } mislykkedes; tiderne gælder dem, der lykkedes.
key-finding-also = { $scope }. Også { $places }
also-in = { $text } Også i { $places }.
and-more = { $left_n ->
    [one] { " " }og én til
   *[other] { " " }og { $left } til
}
measure-word = { $measure ->
    [service] servicetid
   *[response] svartid
}
key-findings-title = Vigtigste fund
key-findings-none = Ingen af de regler, der leder efter modsigelser, forstyrrelser og misvisende tal, fandt noget.
key-findings-more = { $left_n ->
    [one] Yderligere ét fund står i kapitlet om dets scenarie.
   *[other] Yderligere { $left } fund står i kapitlerne om deres scenarier.
}
author-title = Fra forfatteren
author-comment = Kommentar til { $place }: { $text }
author-expectation = Forventet, og uden for afgørelsen: { $text }
author-link = { $name }: { $target }
author-remark = Fra forfatteren: { $text }
not-shown-title = Hvad denne test ikke viser
not-shown-left-out = Ikke afprøvet: { $text }
not-shown-differs = Anderledes end i produktion: { $text }
not-shown-trial = Det er en forkortet prøvekørsel: tendenser, læk og sjældne hændelser kræver den fulde længde.
not-shown-length = De vurderede dele varede i alt { $length }. Det, der sker sjældnere eller bygger sig langsommere op, er ikke med.
not-shown-single-run = Det er én kørsel. Hvor meget resultater svinger fra kørsel til kørsel, indgår ikke i noget interval i denne rapport.
not-shown-repetitions = Det er én kørsel, hvor alt blev udført { $times } gange. Det viser, hvor meget resultater svinger inden for en dag, men ikke fra dag til dag.
not-shown-shared-machine = Belastningsgenerator og system delte maskine og bremsede derfor hinanden; hvordan det går på hver sin maskine, blev ikke målt.
not-shown-other-programs = Om andre programmer på maskinen gjorde testen langsommere, vides ikke: den kontrol kræver målinger af både maskinen og en proces i systemet (`host` og `process`).
not-shown-features = Ikke afprøvet af protokollen:
not-shown-closed = En lukket belastning venter på hvert svar og beder derfor aldrig om mere, end systemet giver; den viser ikke, hvad der sker, når efterspørgslen overstiger kapaciteten.
not-shown-cannot-tell = { $open_n ->
    [one] Én afgørelse kan ikke træffes ud fra denne kørsel; begrundelsen står ved den.
   *[other] { $open } afgørelser om { $requirements } krav kan ikke træffes ud fra denne kørsel; begrundelserne står ved dem.
}

## Introduction and set-up

introduction-title = Indledning
introduction-purpose = Formål
introduction-no-purpose = Studiet angiver intet formål (»about«).
introduction-scope = Omfang
introduction-what = Det testede system er { $system }{ $instances_n ->
    [0] { "" }
    [one] { " " }med én instans
   *[other] { " " }med { $instances } instanser
}{ $shared ->
    [yes] { " " }på den maskine, der også sendte belastningen
   *[no] { "" }
}. { $ran_n ->
    [one] Ét scenarie blev gennemført
   *[other] { $ran } scenarier blev gennemført
}{ $left_n ->
    [0] { "" }
   *[other] { " " }af { $scenarios } planlagte
} med { $exchanges_n ->
    [one] én slags forespørgsel
   *[other] { $exchanges } slags forespørgsler
}: { $names }.
introduction-load = Belastning: { $loads }.
introduction-work = Systemets arbejde for hver forespørgsel: { $text }
introduction-criteria = Succeskriterier
introduction-judged = Systemet vurderes efter { $all_n ->
    [one] ét krav
   *[other] { $all } krav
}; { $rest_n ->
    [0] { $all_n ->
        [one] det er et skal-krav
       *[other] alle er skal-krav
    }
   *[other] { $must_n ->
        [0] ingen af dem er skal-krav
        [one] ét af dem er et skal-krav
       *[other] { $must } af dem er skal-krav
    }
}{ $mixed_n ->
    [0] { "" }
    [one] { $all_n ->
        [one] , men ikke i alle scenarier
       *[other] , ét af dem ikke i alle scenarier
    }
   *[other] , { $mixed } af dem ikke i alle scenarier
}.
introduction-reading = Læsevejledning
table-criteria = Krav, som de blev vurderet
note-criteria = Reglen er ordret den, der blev vurderet; »Steder« er antallet af trin og instanser, den blev vurderet i.
note-criteria-search = I en søgning er et krav et skal-krav i det forsøg, der er søgningens resultat; i de andre forsøg er det til orientering.
reading-validity = Gyldighed kommer før afgørelser: det, der ødelægger en måling, siger intet om systemet.
reading-figures = Under hver figur står en observation, dvs. hvad data viser, og en vurdering, dvs. hvad det betyder for studiets spørgsmål.
reading-numbers = Værdier har tre betydende cifre, og et interval har lige så mange decimaler som sin værdi. »–« betyder, at værdien mangler, med begrundelsen ved siden af; »≥« er en nedre grænse; »eksakt« er talt og ikke skønnet.
reading-findings = Fund er nummereret F1, F2 og så fremdeles; det, der hviler på et fund, henviser til det, og anbefalingerne følger af fundene.
reading-author = Det, studiets forfatter skrev, er mærket som sådan. Alt andet er målt, registreret eller beregnet.
reading-tables = Tallene i hver tabel og figur ligger uafrundede som CSV-filer i mappen »tables«.
setup-title = Testopsætning
setup-system = System, generator og monitorer
setup-instances = { $instances_n ->
    [one] Systemet er én instans: { $names }.
   *[other] Systemet består af { $instances } instanser: { $names }.
}
setup-generator-shared = Belastningsgeneratoren kørte med { $threads } { $threads_n ->
    [one] tråd
   *[other] tråde
} på samme maskine som systemet; gyldighedskontrollerne viser, om den kunne følge med.
setup-generator-apart = Belastningsgeneratoren kørte med { $threads } { $threads_n ->
    [one] tråd
   *[other] tråde
} på en maskine, som systemet ikke deler; gyldighedskontrollerne viser, om den kunne følge med.
table-nodes = Noder
setup-nodes = Belastningsnoder
setup-foreseen = Forudset før belastningen
setup-foreseen-intro = Før belastningen blev det sagt på skærmen, på engelsk, hvad der kunne forstyrre den:
setup-foreseen-more = og { $left } mere, i run.json
col-load-node = Node
col-machine = Maskine
col-node-cores = Kerner
col-node-threads = Tråde
col-node-version = Version
col-node-clock = Urets usikkerhed
col-node-tried = Prøvet forinden
note-nodes = Tilsammen sendte disse processer belastningen, fordelt efter nummer; en node uden belastningstråde overvågede kun sin maskine. »Urets usikkerhed« viser, hvor nøjagtigt forskellen mellem nodens og kørslens ur er kendt; kaldenes tider afhænger ikke af den.
note-nodes-tried = »Prøvet forinden« er den højeste rate, som noden før belastningen nåede at sende til tiden til et mål, der intet gør; ingen node blev prøvet hårdere, end studiet krævede, medmindre loftet blev søgt.
trial-order = rækkefølgen er gennemført én gang i stedet for { $times } gange
trial-repeat = scenarier er gennemført én gang i stedet for op til { $times } gange
trial-hold = scenariet »{ $scenario }«: plateauet varer fortsat { $least }, så prøvekørslen tager længere tid
trial-counts = scenariet »{ $scenario }« tæller iterationer af ukendt varighed; antallene er uændrede
trial-fewer = scenariet »{ $scenario }«: { $fewer } i stedet for { $count } iterationer
ended-rule = stopreglen »{ $rule }« var opfyldt
ended-drained = stoppet af operatøren; det, der var åbent, kunne afsluttes
ended-at-once = stoppet med det samme af operatøren
ended-node = belastningsnoden { $node } gik tabt
setup-watched = Overvåget af: { $names }.
table-machine = Maskinen i korte træk
note-machine = Registreret af monitorerne ved begyndelsen; bilaget om miljøet har alle oplysninger.
setup-differs = Forskelle fra produktion
setup-no-differs = Studiet angiver ingen forskel fra produktion (»differs«). Det beviser ikke, at der ingen er.
setup-data = Data
setup-data-set = { $name }: { $rows } { $rows_n ->
    [one] række
   *[other] rækker
}.
setup-stored = Hvad der var lagret
table-stored = Lagret ved begyndelsen og ved slutningen af hvert scenarie
col-stored-start = Ved begyndelsen
col-stored-end = Ved slutningen
note-stored = Som overvågningen aflæste det: sidst før scenariet begyndte, og sidst før det næste begyndte, eller ved kørslens slutning. Et scenarie, hvor et niveau blev, hvor det var, har ingen række af det.

## Test runs

table-runs = Testkørsler
note-runs = En række er et vurderet trin. Belastningen er den, studiet bad om; den opnåede står nedenfor. »Tid i kørslen« er, hvornår trinnet begyndte.
load-rate = { $asked } { $asked_n ->
    [one] iteration/s
   *[other] iterationer/s
}
load-users = { $users } { $users_n ->
    [one] bruger
   *[other] brugere
}

## Load

load-title = Belastning: planlagt og opnået
load-intro = Hastigheder og antal tæller iterationer. Det planlagte står ved siden af det startede, og alt planlagt er gjort op.
load-nothing = Intet trin i planen fandt sted, så der er intet at vise.
load-not-run = Scenariet { $scenario } var planlagt og fandt ikke sted.
model-open = Åben belastning: iterationer starter på planlagte tidspunkter, uanset hvor langsomme svarene er. Starttidspunkterne er fordelt { $spacing ->
    [poisson] som en Poissonproces
   *[even] jævnt
}.
model-closed = Lukket belastning: { $users } { $users_n ->
    [one] virtuel bruger udfører
   *[other] virtuelle brugere udfører
} den ene iteration efter den anden og venter på svar hver gang. Ingen start er planlagt, så tiderne er servicetider.
model-closed-stages = Lukket belastning i etaper: op til { $users } virtuelle brugere udfører den ene iteration efter den anden og venter på svar hver gang; en bruger, der forlader, afslutter sin igangværende iteration. Ingen start er planlagt, så tiderne er servicetider.
model-held = Holdt belastning: { $connections } { $connections_n ->
    [one] forbindelse
   *[other] forbindelser
 } holdes åbne. På hver af dem skal der sendes en besked hver { $every }, jævnt fordelt og aldrig i takt med de andre, uanset om forbindelsen består: det, en afbrudt forbindelse ikke kunne sende, tæller som fejlet.
model-held-listening = Holdt belastning: { $connections } { $connections_n ->
    [one] forbindelse
   *[other] forbindelser
 } holdes åbne og lytter.
model-held-owed = Holdt belastning: { $connections } { $connections_n ->
    [one] forbindelse
   *[other] forbindelser
 } holdes åbne og lytter. På hver af dem skal der komme en hændelse hver { $every }, uanset om forbindelsen består: det, der ikke kunne komme på en afbrudt forbindelse, tæller som fejlet.
model-fan-out = Fan-out-belastning: { $subscribers } { $subscribers_n ->
    [one] abonnent
   *[other] abonnenter
 }. Hver { $every } offentliggøres en hændelse; hver abonnent, hvis tur var kommet inden, skal have den, uanset hvad der er blevet af abonnementet.
model-think = En iteration indeholder { $think } tænketid.
model-think-mean = En iteration indeholder i gennemsnit { $think } tænketid.
model-think-more = Betingelser føjer højst { $more } tænketid til.
model-pacing = En bruger begynder højst en iteration hver { $pacing }.
model-parallel = En iteration foretager højst { $most } kald ad gangen, hvert på sin egen forbindelse.
model-bound = Højst { $bound } forbindelser er i brug samtidig; en start, der må vente på en forbindelse, venter med uret i gang.
model-unknown = Kørslens hoved beskriver ikke dette scenaries belastning.
table-steps = Trin i { $scenario }: planlagt og opnået
note-steps = Ønsket er det, planen bad om, opnået det, der blev startet, throughput det, der lykkedes: iterationer pr. sekund. Tider tæller fra scenariets begyndelse.
table-books = Regnskab for { $scenario }: hvor hver iteration blev af
note-books = Planlagt = startet + bortfaldet; startet = gennemført + mislykket + afbrudt + stadig åben. Alle rækker stemmer.
note-books-unbalanced = Planlagt skulle være startet + bortfaldet, og startet skulle være gennemført + mislykket + afbrudt + stadig åben. Mindst én række stemmer ikke: man kan ikke stole på dette scenaries tal.
table-assumptions = Belastningsprofilens forudsætninger

fig-plan-caption = Belastning planlagt og startet, { $scenario }
fig-plan-seen = I den vurderede del skulle { $intended_n ->
    [one] én iteration
   *[other] { $intended } iterationer
} starte; { $dropped_n ->
    [0] alle { $started } blev startet.
   *[other] { $started } blev startet og { $dropped } aldrig.
}
fig-plan-seen-closed = I den vurderede del blev { $started_n ->
    [one] én iteration
   *[other] { $started } iterationer
} startet.
fig-plan-means-all = Hver planlagt start fandt sted, så resultaterne hører til den belastning, der blev bedt om.
fig-plan-means-short = { $share } af de planlagte starter fandt aldrig sted: resultaterne hører til en mindre belastning end den, der blev bedt om.
fig-plan-means-closed = I en lukket belastning følger hastigheden af, hvor hurtigt svarene kom. Den er et resultat, ikke en plan.
fig-whole-seconds = Talt pr. sekund; sekunder, som scenariets begyndelse eller slutning skærer over, er udeladt.

## Shape of a distribution

table-shape = Formen af fordelingen af { $what }, { $scenario }
col-humps = Toppe
col-tail = p99 ÷ median
col-extreme = største ÷ p99
col-stalled = Sekunder med pauser
col-shape = Udsagn
shape-irregular = se fund { $finding }
shape-tail = lang hale
shape-regular = én top, ingen lang hale, ingen pauser
shape-too-few = Et plateau har færre end { $needed } kald, der lykkedes, så der siges intet om fordelingens form.
note-shape = En lang hale er en p99 på ti gange medianen eller mere; et sekund har en pause, når dets gennemsnitstid er mere end tre gange den sædvanlige.

## Stop rules

stops-none = Ingen stopregel i studiet kunne have afsluttet dette scenarie før tid.
stops-unread = Studiet kan ikke læses, så dets stopregler står her ikke. En af dem trådte i kraft: { $text }
table-stops = { $scenario }: stopregler, og hvad hver af dem gjorde
col-stop-rule = Regel
col-did = Hvad den gjorde
stop-held = trådte i kraft ved { $at } og afsluttede kørslen
stop-value = værdi { $value }
stop-value-of = værdi { $value }, af »{ $rule }«
stop-never = trådte aldrig i kraft
note-stops = En regel efterprøves hvert sekund over den tid, den nævner, fra belastningens begyndelse; den første, der træder i kraft, afslutter kørslen straks.

## Axes and labels

axis-time = Tid siden scenariets begyndelse (min:s)
axis-iterations = Startede iterationer pr. sekund (/s)
axis-ended = Afsluttede iterationer pr. sekund (/s)
axis-times = { $measure ->
    [service] Servicetid (ms)
   *[response] Svartid (ms)
}
axis-times-ms = { $measure ->
    [service] Servicetid (ms)
   *[response] Svartid (ms)
}
axis-percentile = Percentil; hvert yderligere nital fylder lige meget
axis-share-below = Kald, der højst varede så længe (%)
axis-share-calls = Andel af kald (%)
axis-failures = Fejl pr. { $width }
axis-cpu = Processortid (%)
axis-used = Brugt af det, grænsen tillader; 100 % er grænsen selv
label-planned = planlagt
label-started = startet
label-ended-well = lykkedes
label-failed = mislykkedes
label-max = størst
label-service = service
label-measure = { $measure ->
    [service] service
   *[response] svar
}
label-limit = grænse
label-limit-service = { $limit } (servicetid)

## Verdict strip

fig-strip-caption = Hvor meget af hver grænse der er brugt
fig-strip-seen = Alle afgørelser, også om krav, der ikke er skal-krav: { $met } overholdt, { $not_met } ikke overholdt, { $cannot_tell } kan ikke afgøres.
fig-strip-means-over = Længst over sin grænse er { $requirement } i { $scope }, med { $part } af det tilladte.
fig-strip-means-under = Ingen målt værdi ligger ud over sin grænse; tættest på er { $requirement } i { $scope }, med { $part } af det tilladte.
fig-strip-means-none = Intet krav har en værdi, der kan sættes op mod dets grænse.
fig-strip-reading = Prikken er den målte værdi, bjælken dens interval. Øvre grænser viser værdi ÷ grænse, nedre grænser grænse ÷ værdi, og andele af kald, hvor meget af de tilladte undtagelser der er brugt. Ud over 200 % angiver en pil tallet.
fig-strip-reading-cells = En celle indeholder afgørelserne om et krav i én arbejdsbelastning, med deres antal, hvor der er flere steder eller gentagelser: ✗ ikke overholdt, ? kan ikke afgøres, ✓ overholdt. Under dem er stregen grænsen og prikken det sted, der brugte mest af den, med dets interval.

## Definitions

definitions-title = Definitioner og forkortelser
term-iteration = Iteration
    .means = Én udførelse af scenariets trin, fra begyndelse til slutning.
term-exchange = Udveksling og etape
    .means = En forespørgsel og det, der følger af den. En almindelig forespørgsel har én etape, sit svar; en udveksling, der besvares i flere dele, har flere, hver med sin egen tid.
term-open = Åben belastning
    .means = Iterationer starter efter planen, uanset hvor langsomme svarene er. Systemet kan ikke bremse efterspørgslen.
term-closed = Lukket belastning
    .means = Et fast antal virtuelle brugere, der hver venter på sit svar, før de går videre. Bliver systemet langsommere, falder efterspørgslen.
term-intended = Planlagt start
    .means = Det tidspunkt, hvor en iteration ifølge planen begynder.
term-response = Svartid
    .means = Fra den planlagte start til slutningen. Al ventetid er med, også på en ledig forbindelse. Findes kun i åbne belastninger.
term-service = Servicetid
    .means = Fra den faktiske start til slutningen. I en lukket belastning er det den eneste tid, der findes: den ventetid, som et langsomt svar påfører andre, er ikke med.
term-lateness = Startforsinkelse
    .means = Fra det tidspunkt, hvor en start var mulig, til selve starten: belastningsgeneratorens egen forsinkelse, som siger noget om målingen og ikke om systemet.
term-throughput = Throughput
    .means = Antal vellykkede iterationer pr. sekund.
term-percentile = Percentil
    .means = p95 er den mindste registrerede tid, som 95 % af kaldene ikke oversteg (nearest rank, Hyndman–Fan type 1): en tid, der faktisk forekom, inden for histogrammets klassebredde på 0,1 %. Percentiler aflæses af sammenlagte histogrammer og midles aldrig.
term-interval = Interval
    .means = Det område, der indeholder den sande værdi i 95 % af sådanne målinger; ved en afgørelse rammer hver ende for sig ved siden af i 5 % af dem. Det dækker tilfældigheder inden for denne kørsel, ikke forskelle mellem kørsler.
term-design-effect = Designeffekt
    .means = Hvor mange gange færre uafhængige kald der var end kald, fordi kald tæt på hinanden deler skæbne. Skønnet til den sikre side ud fra deres spredning over tid; intervaller gøres tilsvarende bredere.
term-phases = Faser
    .means = Tomgang, optrapning, opvarmning, plateau, tømning, genopretning. Kun plateauet vurderes, medmindre et krav siger andet.
term-outcomes = Lykkedes, mislykkedes
    .means = Et kald lykkedes, når svaret kom i tide og bestod alle kontroller. Mislykkede er: afvist, forbindelse nulstillet, timeout, ufuldstændigt svar, forkert status, forkert svar, fejlsvar, mangler. Det, som studiet eller generatoren ødelagde, tælles for sig, på ingen af siderne.
term-validity = Gyldighed
    .means = Om målingen overhovedet må vurderes. Kommer før enhver afgørelse: gyldig, tvivlsom, ugyldig.
term-verdicts = Afgørelser
    .means = Overholdt: kørslen viser, at kravet holder. Ikke overholdt: kørslen viser, at det ikke holder. Kan ikke afgøres: kørslen afgør det ikke, og begrundelsen står ved siden af.
term-finding = Fund
    .means = Det, en regel så i data, med tal. Fund er nummereret F1, F2 og så fremdeles, og figurer og tabeller henviser til dem.

## Results

scenario-word = { $scenario ->
    [nominal] nominel belastning
    [peak] spidsbelastning
   *[other] { $scenario }
}
load-scenario-title = Belastningstest ved { $title } ({ $scenario })
results-title = Resultater: { $scenario }
results-intro = { $measure ->
    [service] Dette er en lukket belastning: alle tider i kapitlet er servicetider, målt fra den faktiske start.
   *[response] Tider i dette kapitel er svartider, målt fra den planlagte start, medmindre der står servicetid.
}
verdicts-title = Afgørelser og deres begrundelser
verdicts-none = Intet krav gælder for dette scenarie.
table-store-limit = Hvad grænsen i { $scenario } er en grænse for
note-store-limit = Som registreret fra selve systemet. Grænsen gælder for dette lager på denne disk, med denne hukommelse og disse indekser; med andre ligger den et andet sted.
store-limit-missing = Ikke registreret: { $what }. Uden det kan ingen sige, hvad grænsen ellers afhænger af. `process` overvåger instanserne, `sql` databasen.
store-limit-disk = disken
store-limit-memory = lagerets egen hukommelse
store-limit-indexes = indekserne
table-verdicts-full = Afgørelser i { $scenario }
table-verdicts-full-each = Afgørelser alle steder i { $scenario }
design-effect-holds = gælder op til { $most }
note-design-effect = Grundlag: antallet af kald eller målinger, som værdien hviler på. En designeffekt på 4 betyder, at de tæller som en fjerdedel så mange uafhængige. »Gælder op til« er den største designeffekt, hvor afgørelsen stadig ville gælde; sjældne udbrud, som denne kørsel ikke så, kan gøre den større.
times-title = { $measure ->
    [service] Servicetider
   *[response] Svartider
}
times-closed = Kun servicetider: i en lukket belastning er der ingen planlagt start. Mens et svar var langsomt, bad brugeren ikke om noget nyt, så langsomme perioder er underrepræsenterede.
times-no-hold = Intet plateau fandt sted i dette scenarie, så ingen tider vurderes.
times-judged-from = Trin { $step }: de første { $from } vurderes ikke.
table-transactions = { $measure ->
    [service] Transaktioner i { $scenario }, servicetider, vurderet del
   *[response] Transaktioner i { $scenario }, svartider, vurderet del
}
note-transactions = En transaktion varer fra begyndelsen af dens første kald til slutningen af dens sidste, uden tænketiden imellem. Den lykkedes, hvis alle dens kald lykkedes, og mislykkedes ellers i samme klasse som det første, der mislykkedes. Dens kald står i tabellerne over udvekslinger: intet er talt dobbelt.
table-times = { $measure ->
    [service] Servicetider i { $scenario }, vurderet del
   *[response] Svartider i { $scenario }, vurderet del
}
note-times = Under en værdi står dens 95 %-interval; en afgørelses dækker 90 % og er smallere. { $measure ->
    [service] Alle er servicetider.
   *[response] Alle er svartider.
} Vellykkede kald, mislykkede kald og alle kald er opgjort hver for sig.
note-few = »–«: for få kald til denne percentil. Et interval med en øvre grænse kræver { $p95 } kald for p95, { $p99 } for p99 og { $p999 } for p99,9.
note-no-interval = En værdi uden interval: der er for få uafhængige kald til at bestemme et.
note-bound = »≥«: værdien er afskåret ved timeouten, så den sande værdi er mindst så stor.
throughput-title = Throughput
throughput-none = Ingen iteration sluttede i et helt sekund af dette scenarie, så der er intet throughput at tegne.
leg-title = { $what } over tid og som fordeling
leg-no-times = Intet kald af { $what } lykkedes i den vurderede del, så der er ingen tider at tegne.
leg-too-few = { $missing_n ->
    [one] Én figur er udeladt, fordi for få kald lykkedes.
   *[other] { $missing } figurer er udeladt, fordi for få kald lykkedes.
}
legs-not-drawn = { $left_n ->
    [one] Yderligere én udveksling står kun i tabellerne.
   *[other] Yderligere { $left } udvekslinger står kun i tabellerne.
}
leg-again-title = Over tid og i fordeling
leg-again = Tiderne for denne gentagelse er tegnet ved siden af tiderne i { $first }, i kapitlet om det. Tallene, for hvert sekund og i fordeling, står i { $files }.
errors-title = Fejl
errors-none = { $how ->
    [nothing] Det vides ikke om noget kald i dette scenarie, at det sluttede, så intet kan siges om fejl.
    [unknown] Optagelsen viser ikke, hvilke kald i dette scenarie der mislykkedes.
    [open] Hvert kald i dette scenarie, som vides at være sluttet, lykkedes; nogle var stadig åbne, da optagelsen stoppede.
   *[all] Hvert kald i dette scenarie lykkedes.
}
table-classes = Det, der ikke lykkedes i { $scenario }, alle trin
note-classes = Andele er af alle kald af den pågældende udveksling og etape. Det, der skyldes studiet, generatoren eller afslutningen, tæller ikke imod systemet.
table-samples = Eksempler på fejl i { $scenario }
note-samples = Som de blev modtaget, hver én gang og afkortet til 300 tegn; højst { $most }. Flere findes i bevismaterialet.
samples-none = Intet eksempel på en fejl blev gemt.
errors-findings-title = Fejl og fund
findings-title = Fund
findings-none = Ingen regel fandt noget i dette scenarie.
findings-above = { $number_n ->
    [one] Beskrevet ovenfor:
   *[other] { $number } fund, beskrevet ovenfor:
}

fig-throughput-caption = Throughput over tid, { $scenario }
fig-throughput-seen = I den vurderede del lykkedes { $rate }; enkelte sekunder lå mellem { $least } og { $greatest }. { $failed_n ->
    [0] Ingen iteration mislykkedes.
    [one] Én iteration mislykkedes.
   *[other] { $failed } iterationer mislykkedes.
}
fig-throughput-seen-short = I den vurderede del lykkedes { $rate }; den indeholder intet helt sekund. Mislykkede: { $failed }.
fig-throughput-means-all = Alt, hvad der blev bedt om, lykkedes: over den vurderede del hobede ingen kald sig op.
fig-throughput-means-carried = Det, der lykkedes, afviger { $difference } fra det, der blev bedt om: over den vurderede del hobede ingen kald sig op.
fig-throughput-means-piled-up = I den vurderede del hobede arbejdet sig op: det, der kom i begyndelsen, blev besvaret, og af det, der kom senere, ventede stadig mere.
fig-throughput-means-short = { $share } af det, der blev bedt om, lykkedes ikke i den vurderede del: det mislykkedes, blev ikke startet eller var stadig åbent ved slutningen.
fig-throughput-means-closed = Dette er throughput for { $users } brugere, der venter på deres svar. Det er ikke en kapacitet: flere brugere kan give mere.
fig-throughput-means-none = Der blev ikke bedt om nogen hastighed, så der er intet at sammenligne med.

fig-over-time-caption = { $measure ->
    [service] Servicetider for { $what } over tid, { $scenario }
   *[response] Svartider for { $what } over tid, { $scenario }
}
fig-over-time-seen = Medianen i et sædvanligt vurderet sekund er { $median }. Det langsomste kald varede { $greatest }, i sekundet ved { $when }.
fig-over-time-seen-none = Intet kald lykkedes i et helt vurderet sekund.
fig-over-time-means-no-limit = Intet krav begrænser disse tider; figuren viser, hvornår langsomme kald forekom.
fig-over-time-means-below = Intet vurderet sekund indeholder et kald over { $limit }.
fig-over-time-means-above = I { $above } af { $seconds } vurderede sekunder ligger mindst ét kald over { $limit }. Om det er mere, end kravet tillader, siger kravets afgørelse.
fig-over-time-means-none = Der kan intet siges om tider.
fig-over-time-reading = Kald, der lykkedes, efter sekundet for deres planlagte start; hver linje er percentilen for det sekund alene. Prikker er hvert sekunds langsomste kald.
fig-over-time-reading-limit = I det skraverede område må der ifølge et krav ikke ligge kald.
fig-over-time-reading-window = Kald, der lykkedes, efter sekundet for deres planlagte start. Prikker er hvert sekunds langsomste kald. Med omkring { $usual } kald pr. sekund har et sekund ingen egen percentil: linjer med et tidsrum ved navnet gælder vinduer af den længde ({ $width }); de er aflæst af antal pr. størrelsesklasse og slutsekund og kan derfor ligge op til 12 % ved siden af.
fig-over-time-reading-few = Kald, der lykkedes, pr. sekund. Prikker er hvert sekunds langsomste kald. Med omkring { $usual } kald pr. sekund tegnes percentiler, som mindre end ét kald ligger ud over, ikke.
fig-heat-caption = { $measure ->
    [service] Hvert kald af { $what } efter tidspunkt og servicetid, { $scenario }
   *[response] Hvert kald af { $what } efter tidspunkt og svartid, { $scenario }
}
fig-heat-seen = Otte ud af ti af { $count } kald varede mellem { $low } og { $high }; det langsomste varede { $greatest }.
fig-heat-means-one = Tiderne danner én gruppe uden huller.
fig-heat-means-outliers = Tiderne danner én gruppe; { $outside_n ->
    [one] ét kald ligger uden for den.
   *[other] { $outside } kald ligger uden for den.
}
fig-heat-means-groups = Tiderne danner { $groups } adskilte grupper: kald mødte forskellige forhold, og et gennemsnit over alle beskriver ingen af dem.
fig-heat-reading = Kald, der lykkedes, efter sekundet for deres slutning. En kolonne er { $width } bred; jo mørkere en celle, jo flere af kolonnens kald varede så længe. Enkelte langsomme kald forbliver synlige.
fig-curve-caption = { $measure ->
    [service] Percentiler for servicetiderne af { $what }, { $scenario }
   *[response] Percentiler for svartiderne af { $what }, { $scenario }
}
fig-curve-seen = Medianen er { $median }; ved { $highest } er det { $value }, { $factor } gange så længe.
fig-curve-means-closed = Dette er servicetider fra en lukket belastning: den tid, brugere ville have ventet, mens andre blev betjent, er ikke med i de høje percentiler.
fig-curve-means-late = Ved p{ $percentile } varede kald { $response } fra den planlagte start og { $service } fra den faktiske start. Generatorens egen forsinkelse ({ $lateness }) forklarer forskellen.
fig-curve-means-waited = Ved p{ $percentile } varede kald { $response } fra den planlagte start og { $service } fra den faktiske start: kald ventede, før de kunne sendes, og en måling fra afsendelsen ville ikke have set det.
fig-curve-means-together = Svartid og servicetid følges ad: kald blev sendt, da de skulle, og det, der tog tid, skete efter afsendelsen.
fig-curve-reading = Kurven stopper, hvor færre end { $beyond } kald ligger ud over den. Båndet er 95 %-intervallet, hvor det kan bestemmes.
fig-ecdf-caption = { $measure ->
    [service] Andel af kald af { $what } inden for en servicetid, { $scenario }
   *[response] Andel af kald af { $what } inden for en svartid, { $scenario }
}
fig-ecdf-seen = { $share } af { $count } kald, der lykkedes, varede under { $limit }.
fig-ecdf-means = En grænse ti procent lavere ville blive holdt af { $low }, en ti procent højere af { $high }: så meget betyder valget af { $limit }.
fig-ecdf-seen-no-limit = Ni ud af ti af { $count } kald, der lykkedes, varede mellem { $low } og { $high }.
fig-ecdf-means-no-limit = Intet krav begrænser disse tider i dette scenarie, så kurven afgør intet.
fig-ecdf-reading = Stiplede linjer er grænser: tiden og den andel af kald, der skal holde den. Figuren indeholder kald, der lykkedes; krav kan tælle fejl imod andelen.
fig-ecdf-reading-no-limit = Figuren indeholder kald, der lykkedes.
fig-again-reading = Stiplede linjer fra #2 og frem er scenariets øvrige gentagelser.
fig-histogram-caption = { $measure ->
    [service] Fordeling af servicetiderne for { $what }, { $scenario }
   *[response] Fordeling af svartiderne for { $what }, { $scenario }
}
fig-histogram-seen = Hyppigst er tider fra { $low } til { $high }: { $share } af kaldene. Gennemsnittet er { $mean }, medianen { $median }.
fig-histogram-means-skewed = Gennemsnittet ligger { $excess } over medianen: langsomme kald trækker det op, så percentiler beskriver disse kald bedre end gennemsnittet.
fig-histogram-means-far = Gennemsnittet er { $factor } gange medianen: en del af kaldene var langt langsommere end resten, så gennemsnittet beskriver ingen af dem.
fig-histogram-means-even = Gennemsnit og median afviger { $difference } fra hinanden, så begge beskriver midten af disse kald; ingen af dem beskriver de langsomme.
fig-histogram-reading = Hver søjle er 12 % bredere end den foregående: 20 søjler til en faktor ti.
fig-errors-caption = Fejl over tid efter klasse, { $scenario }
fig-errors-seen = { $failed_n ->
    [one] Ét kald mislykkedes: { $class }.
   *[other] { $failed } kald mislykkedes; den hyppigste klasse er »{ $class }« med { $count }.
}
fig-errors-means-spread = Fejlene er spredt over { $bars } perioder à { $width }: ingen enkelt forstyrrelse forklarer dem.
fig-errors-means-together = Alle fejl sluttede mellem { $from } og { $to }. Se efter, hvad der skete dér eller, for kald med timeout, én timeout tidligere.
fig-errors-means-peak = { $share } af alle fejl falder inden for { $width } ved { $when }: se efter, hvad der skete dér.
fig-errors-reading = Efter det sekund, hvor kaldet sluttede; alle scenariets udvekslinger under ét.

## System

system-title = Systemadfærd
system-intro = Det, der blev overvåget, mens belastningen stod på. Den vurderede del er det, der ligger mellem opvarmning og tømning.
system-flat = Ændrede sig højst { $part } og er ikke tegnet: { $list }.
system-nothing = Intet blev overvåget: studiet nævner ingen monitor, eller ingen gav en måling. Hvad der begrænsede systemet, kan ikke afgøres.
system-again = Forløbet af hver serie i denne gentagelse står i tabellen; figurerne ville være dem for { $first } en gang til. Alle målinger står i CSV-filerne.
table-resources-by-workload = Ressourceforbrug efter arbejdsbelastning
note-resources-by-workload = Middelværdi over de vurderede dele, alle gentagelser samlet, og under den den største måling.
note-resources-before = »Før belastningen« er middelværdien af faserne uden belastning.
table-durations = Overvågede varigheder i den vurderede del af { $scenario }, pr. instans
note-durations = Hvert kald og hver pause tæller for sig på det tidspunkt, monitoren angiver. Antal pr. sekund er regnet over hele trinnet. En percentil med for få værdier på begge sider er udeladt.
table-metrics = Overvågede serier i den vurderede del af { $scenario }
note-metrics = »Mangler« er antallet af målinger, der skulle være kommet, men ikke kom. »Vækst« er tællernes, fra første til sidste måling.
table-events = Hændelser under kørslen
fig-cpu-caption = Processortid for { $instance }, { $scenario }
fig-cpu-seen = I den vurderede del var processoren i gennemsnit optaget { $mean } af tiden og højst { $max }, over { $samples } målinger.
fig-cpu-stolen = Derudover gav hypervisoren i gennemsnit { $mean } af tiden til andre gæster.
fig-cpu-means-busy = Fra { $limit } og op er processoren en sandsynlig grænse for disse resultater: i tiderne indgår ventetid på den.
fig-cpu-means-stolen = Optaget og afgivet tid når tilsammen { $limit }: processoren er en sandsynlig grænse for disse resultater.
fig-cpu-means-free = Gennemsnittet holder sig under { $limit }, så intet her udpeger den samlede processor som grænsen; en enkelt fuld kerne kan dog gemme sig i gennemsnittet over alle.
fig-cpu-means-none = Ingen måling falder i den vurderede del, så der kan intet siges om den.
fig-cpu-reading = Alle maskinens kerner tilsammen er 100 %. Optaget er tiden for user og system tilsammen, også i tabeller og krav. Ventetid på I/O er ledig tid, som en hurtigere disk eller et hurtigere netværk kunne have forkortet; afgivet tid, som en hypervisor gav til andre gæster, er en linje for sig.
metric-word = { $metric ->
    [requests] Anmodninger
    [handed] Anmodninger tilordnet
   *[other] { $metric }
}
unit-cores = kerner
fig-multiples-seen-none = Ingen måling falder i den vurderede del.
fig-multiples-means-grew = { $instance } sluttede { $change } over sit udgangspunkt efter { $length }. Om væksten ville fortsætte, kan ikke afgøres ud fra så kort tid.
fig-multiples-means-steady = { $instance } ændrede sig { $change } fra den første tredjedel til den sidste i løbet af { $length }. Et langsomt læk ville ikke kunne ses på så kort tid.
fig-multiples-means-none = Der kan intet siges om det.

## Figurer af overvågede serier

panel-max = højst { $max }
fig-cpu-finds = { $samples_n ->
    [0] Processoren i { $instance }: ingen måling i den vurderede del
   *[other] Processoren i { $instance } var i gennemsnit { $mean } optaget, højst { $max }
}
fig-heap-what = Heap for hver Java virtual machine ({ $monitor }), { $scenario }: maksimum, reserveret, i brug
fig-heap-name = { $part ->
    [used] i brug
    [committed] reserveret
    [max] maksimum
    [left] tilbage efter oprydning
   *[full] fuldstændig oprydning
}
fig-heap-finds = { $instance } bruger højst { $part } af sine { $max } heap
fig-heap-finds-unbounded = { $instance } bruger højst { $used } heap
fig-heap-finds-none = Heap for { $instance }: intet blev målt i den vurderede del
fig-heap-seen = { $instance } havde i den vurderede del højst { $used } i brug og { $committed } reserveret; oprydninger efterlod højst { $left }. { $full_n ->
    [0] Der var ingen fuldstændig oprydning.
    [one] Én måling har en fuldstændig oprydning.
   *[other] { $full } målinger har fuldstændige oprydninger.
}
fig-heap-means = { $machines_n ->
    [one] Oprydninger efterlod plads i { $instance }: bagefter var højst { $part } af maksimum i brug.
   *[other] Af { $machines } maskiner efterlod oprydninger mindst plads i { $instance }: bagefter var højst { $part } af maksimum i brug.
}
fig-heap-means-near = Oprydninger efterlod { $part } af maksimum for { $instance } i brug: det er næsten ingen plads, og det kan begrænse det, der blev målt.
fig-heap-means-none = Ingen heap blev ryddet op i den vurderede del, så affald kan ikke skelnes fra det, der beholdes.
fig-heap-reading = Det er det, oprydninger efterlader, der tæller, ikke toppene: mellem to oprydninger ligger der affald. Stregerne forneden er fuldstændige oprydninger; alle felter har samme skala, og skraverede faser vurderes ikke.
fig-memory-what = Processernes hukommelse ({ $monitor }), { $scenario }: grænse, reserveret, brugt
fig-memory-name = { $part ->
    [used] brugt
    [reserved] reserveret
   *[limit] grænse
}
fig-memory-finds = { $instance } bruger højst { $part } af de { $limit }, den må bruge
fig-memory-finds-unbounded = { $instance } bruger højst { $used } hukommelse
fig-memory-seen = { $instance } havde i den vurderede del højst { $used } i brug og { $reserved } reserveret.
fig-memory-seen-used = { $instance } havde i den vurderede del højst { $used } i brug.
fig-memory-machine = Ingen kontrolgruppe (cgroup) begrænser { $instances }; den tegnede grænse er maskinens hukommelse.
fig-memory-beyond = { $instance } har { $reserved } adresser reserveret, mere end den nogensinde kan få af hukommelse, så det er ikke tegnet.
fig-memory-means = Nærmest sin grænse er { $instance }, som nåede { $part } af den: grænsen er ikke det, der begrænser disse resultater.
fig-memory-means-near = { $instance } nåede { $part } af sin grænse: det kan have begrænset det, der blev målt.
fig-memory-means-unbounded = Der er ikke sat nogen grænse under maskinens hukommelse: det, der er tilbage af den, er processernes plads.
fig-memory-reading = Systemet kører ikke i en Java virtual machine; i stedet for maksimal, reserveret og brugt heap vises processernes grænse, reserverede adresser og brugte hukommelse. Skalaen er logaritmisk, for reserverede adresser, der aldrig tages i brug, koster ingen hukommelse.
fig-gauge-what = { $metric } for { $instances_n ->
    [one] én instans
   *[other] { $instances } { $of ->
        [series] serier
       *[instances] instanser
    }
} ({ $monitor }), { $scenario }
fig-gauge-finds = { $instances_n ->
    [one] { $metric } for { $instance }: { $mean } i gennemsnit
   *[other] { $metric } er højest for { $instance }: { $mean } i gennemsnit
}
fig-gauge-finds-none = { $metric }: ingen måling i den vurderede del
fig-gauge-seen = { $instances_n ->
    [one] { $instance } lå i den vurderede del på { $mean } i gennemsnit og højst { $max }.
   *[other] Af { $instances } { $of ->
        [series] serier
       *[instances] instanser
    } lå { $instance } højest i den vurderede del: { $mean } i gennemsnit og højst { $max }.
}
fig-gauge-seen-idle = { $instances_n ->
    [one] { $instance } lå i den vurderede del på { $mean } i gennemsnit og højst { $max }, mod { $idle } før belastningen.
   *[other] Af { $instances } { $of ->
        [series] serier
       *[instances] instanser
    } lå { $instance } højest i den vurderede del: { $mean } i gennemsnit og højst { $max }, mod { $idle } før belastningen.
}
fig-gauge-means-near = { $instance } når { $part } af sin grænse på { $ceiling }: det kan have begrænset det målte.
fig-gauge-means-ceiling = Tættest på sin grænse er { $instance }, hvis top når { $part } af { $ceiling }; grænsen er ikke det, der begrænser disse resultater.
fig-gauge-means-spike = Toppen for { $instance } ved { $when } er { $factor } gange dens gennemsnit: den skyldes enkelte spidser, ikke niveauet.
fig-gauge-means-even = Ingen instans topper mere end { $factor } gange sit eget gennemsnit: forbruget er jævnt over den vurderede del.
fig-gauge-means-small = Ingen instans topper mere end { $height } over sit gennemsnit: ved så lavt et forbrug siger forholdet mellem de to intet.
fig-gauge-means-zero = I den vurderede del forblev det på nul.
fig-gauge-reading = Alle paneler, i alle scenarier, deler én skala; skraverede faser vurderes ikke, lodrette streger er hændelser.
fig-gauge-reading-idle = Den prikkede linje er gennemsnittet i fasen uden belastning.
fig-gauge-reading-left = { $left_n ->
    [one] Yderligere én instans står kun i tabellen over serier.
   *[other] Yderligere { $left } instanser står kun i tabellen over serier.
}
fig-mirror-what = { $first } og { $second } ({ $monitor }), { $scenario }
fig-mirror-finds = { $instance }: højst { $first_max } ({ $first }) og { $second_max } ({ $second })
fig-mirror-seen = I den vurderede del flyttede { $instance } mest: i gennemsnit { $first_mean } ({ $first }) og { $second_mean } ({ $second }).
fig-mirror-means = »{ $more }« er { $factor } gange »{ $less }«. Enhedens grænse er ikke kendt, så dette beskriver kun forbruget.
fig-mirror-means-one = Kun »{ $more }« flyttede noget; »{ $less }« forblev på nul.
fig-mirror-means-nothing = I den vurderede del flyttede ingen af retningerne noget.
fig-mirror-reading = { $first } står over aksen, { $second } under den; begge tæller fra aksen.
fig-overview-what = Alt andet, som { $monitor } overvågede, { $scenario }
fig-overview-finds = { $series } flyttede sig længst fra sit niveau før belastningen
fig-overview-finds-none = { $count_n ->
    [one] Yderligere én serie
   *[other] Yderligere { $count } serier
}, uden niveau før belastningen
fig-overview-seen = Af yderligere { $metrics } { $metrics_n ->
    [one] størrelse
   *[other] størrelser
} flyttede { $series } sig længst under belastning: fra { $idle } til { $mean } i gennemsnit.
fig-overview-seen-no-idle = { $metrics_n ->
    [one] Yderligere én størrelse
   *[other] Yderligere { $metrics } størrelser
} ændrede sig i dette scenarie; der er ingen målinger uden belastning at sammenligne med.
fig-overview-means-ceiling = Af dem, der har en grænse, kom { $series } tættest på den: { $part }.
fig-overview-means-none = Ingen af disse har en grænse, så de beskriver systemet, men forklarer ikke i sig selv nogen begrænsning.
fig-overview-reading = Hvert panel har sin egen skala fra nul. Den prikkede linje er gennemsnittet i fasen uden belastning. Serier, der aldrig ændrede sig, står kun i tabellen nedenfor.
fig-overview-reading-several = Hvert panel har sin egen skala fra nul og alle instanser i sig; farverne er de samme som i de andre figurer, og grå hvor der er mange. Til højre for en titel står den højeste instans og dens største værdi. Serier, der aldrig ændrede sig, står kun i tabellen nedenfor.
course-constant = aldrig ændret
course-none = ingen måling
col-course = Forløb
col-idle = Før belastningen
col-needs = Har brug for
topology-generator = generator
topology-threads = { $threads } { $threads_n ->
    [one] tråd
   *[other] tråde
}
fig-topology-what = Systemets instanser, og hvad hver af dem har brug for
fig-topology-finds = { $instances_n ->
    [one] Én instans; belastningen rammer { $entries }
   *[other] { $instances } instanser; belastningen rammer { $entries }
}
fig-topology-seen = Studiet nævner { $instances } { $instances_n ->
    [one] instans
   *[other] instanser
} og { $edges } { $edges_n ->
    [one] afhængighed
   *[other] afhængigheder
} mellem dem.
fig-topology-means-shared = Generator og system delte én maskine: hvad den ene brugte, manglede den anden.
fig-topology-means-apart = Belastningen kom fra sin egen maskine, så generatoren tog intet fra systemet.
fig-topology-reading = En pil peger på det, instansen har brug for. Den farvede kant er instansens farve i alle figurer.

## Hvad figurer viser

fig-strip-finds-over = { $requirement } i { $scope } er længst over sin grænse: { $part }
fig-strip-finds-under = Hver målt værdi holder sin grænse; { $requirement } kommer tættest på, med { $part }
fig-strip-finds-none = Ingen målt værdi kan holdes op mod sin grænse
fig-plan-finds-all = Hver planlagt start fandt sted
fig-plan-finds-short = { $share } af de planlagte starter fandt aldrig sted
fig-plan-finds-closed = { $started_n ->
    [one] Én iteration
   *[other] { $started } iterationer
} blev startet, som svarene tillod det
fig-throughput-finds-carried = { $rate } lykkedes: det, der blev bedt om
fig-throughput-finds-short = { $rate } lykkedes, { $share } mindre end der blev bedt om
fig-throughput-finds-closed = { $rate } lykkedes
fig-over-time-finds-below = Intet vurderet sekund indeholder et kald over { $limit }
fig-over-time-finds-above = Kald over { $limit } i { $above } af { $seconds } vurderede sekunder
fig-over-time-finds-level = Medianen pr. sekund er { $median }, det langsomste kald varede { $greatest }
fig-over-time-finds-none = Intet kald i den vurderede del lykkedes
fig-heat-finds-one = Én gruppe tider: otte ud af ti kald varede { $low } til { $high }
fig-heat-finds-groups = Tiderne falder i { $groups } grupper
fig-curve-finds = { $highest } er { $factor } gange medianen
fig-ecdf-finds = { $share } af kaldene holder sig inden for { $limit }
fig-ecdf-finds-no-limit = Ni ud af ti kald varede { $low } til { $high }
fig-histogram-finds = Hyppigst er { $low } til { $high }
fig-errors-finds = { $failed_n ->
    [one] Én fejl: { $class }
   *[other] { $failed } fejl, de fleste »{ $class }«
}

## Sammenligning

comparison-title = Sammenligning
comparison-runs = Kørsler mod hinanden
comparison-base = Grundlag
comparison-intro = »Forskellig« betyder, at hele intervallet for forholdet ligger uden for båndet, »ækvivalent«, at det ligger inden for det. At der ikke er fundet en forskel, gælder aldrig som bevis for lighed.
comparison-verdict = { $other } mod { $base }, { $all_n ->
    [one] én række
   *[other] { $all } rækker
}: { $list }.
comparison-count = { $verdict ->
    [different] { $number } forskellige
    [equivalent] { $number } ækvivalente inden for { $band }
    [cannot_tell] { $number } kan ikke afgøres
   *[not_comparable] { $number } kan ikke sammenlignes
}
comparison-single = Hvor en side kun er kørt én gang, indgår variationen fra kørsel til kørsel ikke i dens interval.
comparison-blocked = Alle kørsler på den ene side er lavet før alle på den anden: det, der ændrer sig i løbet af dagen, ligner da en forskel. Lav dem skiftevis (A B A B).
comparison-not-comparable = { $base } og { $other } må ikke sammenlignes som helheder: de afviger i { $aspects }.
aspect-word = { $aspect ->
    [load] belastning
    [data] data
    [validity] gyldighed
    [parts] hvad der kører samtidig
    [length] længde
    [system] system
    [store] lager
    [host] maskine
    [generator] belastningsgenerator
    [study] andre dele af studiet
    [order] kørslernes rækkefølge
   *[other] { $aspect }
}
row-verdict-word = { $verdict ->
    [different] forskellig
    [equivalent] ækvivalent
    [cannot_tell] kan ikke afgøres
    [not_comparable] kan ikke sammenlignes
   *[other] { $verdict }
}
forbids-yes = forbyder den
forbids-no = noteret
table-differences = Omstændigheder, der afviger
row-time-needed = mindst { $needed } kræves
row-runs-needed = { $runs_n ->
    [one] kræver én kørsel på hver side
   *[other] kræver cirka { $runs } kørsler på hver side
}
note-differences = Det, der forbyder en sammenligning, gør ethvert forhold mellem de to meningsløst; resten noteres, fordi det kan forklare en forskel.
table-matrix = { $name }: hver række på alle sider
note-matrix = Under en ændring står dens 95 %-interval; den tynde linje i en bjælke er det, som afrundingen af værdierne lader stå åbent. »≥« er en nedre grænse: kald blev afbrudt ved timeout.
history-title = Over kørsler
col-compared = Hvad
col-statistic = Statistik
col-change = Ændring
col-side = Side
col-other = Anden
col-aspect = Omstændighed
col-forbids = Sammenligning
col-ratio = Forhold
col-counted = Talt
col-expected = Hastighed × tid pr. iteration
col-apart = Fra hinanden
col-of-mean = Af gennemsnittet
axis-less = mindre end grundlaget
axis-more = mere end grundlaget
axis-ratio = Forhold til grundlaget, på en logaritmisk skala
axis-runs = Kørsel, ældste først
axis-in-flight = Iterationer undervejs, i gennemsnit
axis-of-mean = Forhold til replikaernes gennemsnit
axis-phase = Tid siden periodens begyndelse (s)
axis-users = Virtuelle brugere
axis-offered = Tilbudt belastning (/s)
axis-throughput = Throughput (/s)
axis-time-ms = Tid pr. kald (ms)
axis-use = Udnyttelse (%)
label-counted = som generatoren talte
label-expected = hastighed × tid pr. iteration
fig-forest-what = { $other } mod { $base }
fig-forest-finds = { $different } af { $all } rækker er forskellige mellem { $other } og { $base }
fig-forest-seen = { $different } er forskellige, { $equivalent } er ækvivalente, { $open } kan ikke afgøres, { $apart } må ikke sammenlignes.
fig-forest-means-widest = Af det, der er forskelligt, afviger { $what } mest: { $change }. Båndet for lighed er ±{ $band }.
fig-forest-means-equal = Hver række er ækvivalent inden for ±{ $band }: en større ændring ville have vist sig.
fig-forest-means-open = Intet er vist at være forskelligt, og { $open_n ->
    [one] én række
   *[other] { $open } rækker
} er heller ikke vist at være ens.
fig-forest-reading = Prikken er forholdet, linjen dets 95 %-interval; det farvede bånd ±{ $band } tæller som ens. På den logaritmiske skala står det halve og det dobbelte lige langt fra 1.
fig-history-what = { $what } over { $runs } kørsler
fig-history-finds = { $what } skiftede niveau { $shifts_n ->
    [one] én gang
   *[other] { $shifts } gange
}
fig-history-finds-none = { $what } holdt sit niveau over { $runs } kørsler
fig-history-seen = { $runs } kørsler, fra { $first } i den ældste til { $last } i den nyeste; { $shifts_n ->
    [one] ét niveauskift
   *[other] { $shifts } niveauskift
} blev fundet.
fig-history-means = Det største begynder med { $run }: fra { $before } til { $after }, en ændring på { $change }. Hvad der ændrede sig mellem den kørsel og den forrige, bør forklare det.
fig-history-means-none = Intet niveauskift på 5 % eller mere blev fundet; mindre kan gemme sig i spredningen.
fig-history-reading = En prik er en kørsel, den tykke linje et niveaus gennemsnit, en stiplet linje er, hvor et niveau slutter.
fig-history-reading-left = En prik er en kørsel, den tykke linje et niveaus gennemsnit, en stiplet linje er, hvor et niveau slutter. Udeladt: { $left }, fordi belastning eller data afviger fra den nyeste kørsels, eller fordi en sådan værdi mangler.
fig-archive-what = { $what } over { $runs } kørsler: { $rule }
fig-archive-finds-none = Der blev ikke fundet noget niveauskift for { $what }
fig-archive-seen = { $runs } kørsler med en værdi, fra { $first } i den ældste til { $last } i den nyeste{ $gaps_n ->
    [0] .
    [one] ; i én kørsel kunne den ikke afgøres.
   *[other] ; i { $gaps } kørsler kunne den ikke afgøres.
}
fig-archive-means = Den nyeste ændring er { $tendency ->
    [worse] en forværring
   *[better] en forbedring
} og begynder med { $run }: fra { $before } til { $after }, { $change }. Hvad der ændrede sig mellem den kørsel og den forrige, bør forklare det.
fig-archive-means-few = Der kræves { $needed } kørsler med en værdi for at lede efter et niveauskift, og der er { $have }.
fig-archive-reading = En prik er en kørsel, den tykke linje et niveaus gennemsnit, en stiplet linje er, hvor et niveau slutter. En brudt linje er en kørsel uden værdi; det, der ligger før basis, har en anden baggrund.

## På tværs af niveauer, replikaer og perioder

stability-title = Stabilitet
stability-intro = Om systemet holdt over tid: drift, læk, stilstand, fald, spidser, og om det kom tilbage til udgangspunktet. Hvert udsagn henviser til sit fund.
stability-none = Ingen af disse regler fandt noget i de vurderede dele.
stability-length = De vurderede dele varede i alt { $length }. Hvad der udvikler sig langsommere eller kommer sjældnere, er hverken vist eller udelukket.
folded-slowest = Langsomste kald i et sekund, { $exchange }
folded-ended = Kald, der lykkedes i et sekund, { $exchange }
levels-title = På tværs af belastningsniveauer
fig-response-load-what = Tider for { $what } mod belastningen
fig-response-load-finds = { $percentile } er { $factor } gange så lang ved den største belastning som ved den mindste
fig-response-load-seen = Over { $levels } niveauer går { $percentile } fra { $low } til { $high }.
fig-response-load-means-bend = En del af den tid er ventetid; mere belastning får den til at vokse hurtigere end belastningen.
fig-response-load-means-flat = Inden for disse niveauer lægger belastningen næsten ingen ventetid til.
fig-response-load-means-partial = Der lykkedes mindre, end der blev tilbudt. Tiderne er dem for de kald, der lykkedes, og viser altså ikke, hvad belastning gør ved dem.
fig-levels-reading = En prik er et niveau, og linjen gennem den er 95 %-intervallet, hvor der er et.
fig-response-throughput-what = Tider for { $what } mod throughput
fig-response-throughput-finds = Det højeste throughput er { $rate }, ved belastningen { $level }
fig-response-throughput-seen = Ved den største belastning, { $level }, lykkedes { $rate }, og { $percentile } var { $high }.
fig-response-throughput-means-back = Ved den største belastning falder throughput igen, mens tiderne vokser: systemet er dér forbi sin kapacitet.
fig-response-throughput-means-short = Ved den største belastning lykkedes mindre, end der blev tilbudt: systemet kunne ikke følge med.
fig-response-throughput-means-on = Throughput vokser stadig med belastningen, så disse niveauer viser ikke, hvor kapaciteten slutter.
fig-response-throughput-reading = Punkterne følger belastningen, og ved hvert står dets niveau. Hvor linjen vender om, giver mere belastning færre svar.
fig-use-what = Forbrug af ressourcer mod throughput
fig-use-finds = { $resource } ville være fuldt udnyttet ved { $rate }
fig-use-seen = { $resource } nåede i gennemsnit højst { $most }, ved op til { $rate }.
fig-use-means = Hvis forbruget bliver ved med at vokse som mellem disse niveauer, er { $resource } det første af disse, der er fuldt udnyttet, ved { $rate }. Det er en forlænget linje, ikke en måling: andre grænser kan komme først.
fig-use-finds-far = Ingen ressource er nær sin grænse: højest er { $resource } med { $most } i gennemsnit
fig-use-means-far = Selv det første af disse ville først være fuldt udnyttet ved mere end { $factor } gange den højeste belastning. En linje, der er forlænget så langt, siger intet: hvad der begrænser systemet dér, er ikke set.
fig-use-reading = Prikker er niveauer; de prikkede linjer er lagt gennem dem med mindste kvadraters metode og højst forlænget til det dobbelte af det målte.
fig-little-what = Littles lov: hvad der var undervejs, talt på to måder
fig-little-finds-same = De to optællinger er ens
fig-little-finds = De to optællinger afviger højst { $apart }
fig-little-seen = Længst fra hinanden er de i { $scope }: { $counted } som talt, { $expected } ud fra hastighed og tid.
fig-little-means-close = Inden for { $limit }, hvad et trins kanter forklarer: hastigheder, tider og samtidighed stemmer med hinanden.
fig-little-means-apart = Mere end { $limit }: en del af tiden undervejs er ikke i de registrerede tider, eller trinnet var ikke jævnt. Tabellen over gyldighedskontroller viser, om trinnet dermed bortfalder.
fig-little-reading = I ethvert trin er det gennemsnitlige antal undervejs hastigheden gange den gennemsnitlige tid for en iteration, fra dens begyndelse til dens slutning, med alle dens kald og det, der ligger imellem. Procenten til højre er, hvor langt de to er fra hinanden.
fig-skew-what = Hvad hver replika bærer, { $scenario }
fig-skew-finds = { $instance } bærer { $factor } gange replikaernes gennemsnit ({ $what })
fig-skew-seen = Mest ulige fordelt er »{ $what }«: { $instance } har { $level }, { $factor } gange replikaernes gennemsnit.
fig-skew-means-uneven = Fra { $limit } gange gennemsnittet deler replikaerne ikke arbejdet ligeligt; den mest belastede sætter grænsen for alle.
fig-skew-means-apart = Én replika ligger på mindst { $limit } gange gennemsnittet, men ikke så vedvarende, at det er et fund: det er et tilfælde eller en måling, der ikke følger arbejdet.
fig-skew-means-small = Én replika ligger på mindst { $limit } gange gennemsnittet, men af så lidt, at det er uden betydning.
fig-skew-means-even = Alle er under { $limit } gange gennemsnittet: replikaerne deler arbejdet.
fig-skew-reading = 1 er replikaernes gennemsnit. Tallet til højre er det største delt med gennemsnittet.
fig-folded-what = { $what } foldet ved { $period }, { $scope }
fig-folded-finds = Med en periode på { $period } kommer det op på { $factor } gange sit sædvanlige niveau
fig-folded-seen = Over { $periods } perioder afviger det mest { $phase } inde i perioden, { $factor } gange det sædvanlige niveau.
fig-folded-means = Det, der kommer på samme tidspunkt i hver periode, styres af et ur: en timer, en oprydning, et checkpoint. Tilfældigheder ville have udlignet hinanden.
fig-folded-reading = Alle perioder lagt over hinanden: linjen er deres gennemsnit, båndet går fra den mindste til den største værdi.

## Generator

generator-title = Belastningsgeneratorens tilstand
generator-intro = En belastningsgenerator, der er forsinket, mangler processortid eller er løbet tør for sockets, måler sig selv. Disse kontroller blev udført, før noget blev vurderet.
generator-no-signs = Ingen kontrol blev udført, fordi intet trin med belastning fandt sted.
table-generator-series = Hvad generatoren registrerede om sig selv i den vurderede del af { $scenario }
generator-no-seconds = Generatoren registrerede intet om sig selv, så dens eget processorforbrug kan ikke vises.
generator-seconds = Belastningsgeneratoren kørte med { $threads } { $threads_n ->
    [one] tråd
   *[other] tråde
}; i det travleste sekund blev { $busiest } af trådenes processortid brugt. Højst { $in_flight } iterationer var i gang i gennemsnit over et sekund, og { $waiting_n ->
    [0] ingen start ventede på en forbindelse.
    [one] højst én start ventede på en forbindelse.
   *[other] højst { $waiting } starter ventede på en forbindelse.
}
generator-sources = De lokale porte på én adresse slog ikke til: forbindelser kom også fra { $addresses }.
generator-ceiling = Før kørslen sendte generatoren op til { $ceiling } til tiden til et mål, der intet gør, med { $threads } { $threads_n ->
    [one] tråd
   *[other] tråde
} og { $connections } forbindelser.
imported-title = Hvor denne kørsel kommer fra
imported-intro = Disse tal er dannet af filer, som { $tool } og andre værktøjer havde skrevet. Nedenfor står, hvad der blev læst, og hvad der ikke blev.
table-imported-files = Importerede filer
col-imported-kind = Slags
col-imported-read = Poster
col-imported-nested = Heraf summer eller dele af andre
col-imported-unreadable = Ulæselige linjer
col-imported-times = Tider
col-imported-sha = SHA-256
imported-placed = { $placed ->
    [start_and_interval] start og interval angivet
    [fitted] placeret, hvor de passer bedst
    [whole_run] ingen: kun hele kørslen
   *[clock] egne
}
imported-remarks = Hvad der er at vide om disse filer:
table-imported-lines = Linjer, der ikke kunne læses
col-imported-line = Linje
col-imported-why = Hvad der stod
table-imported-said = Hvad { $tool } skriver, ved siden af hvad dets kald siger
col-imported-figure = Tal
col-imported-said = { $tool } skriver
col-imported-data = Alle kald siger
col-imported-of = Kald i værktøjets tal
col-imported-file = Skrevet i
col-imported-differs = Hvorfor de er forskellige
imported-computed = beregnet efter dets regel
imported-not-printed = skrives ikke
imported-by-rule = efter dets regel
imported-figure = { $figure ->
    [mean] middelværdi
    [min] mindste
    [max] største
    [calls] kald
   *[failed] fejlede kald
}
imported-differs = { $why ->
    [last_calls] det tager kun de sidste kald og interpolerer
    [interpolated] det interpolerer mellem to tider
    [rounded] det afrunder
    [sketch] det anslår ud fra en tilnærmelse
    [no_times] filerne indeholder ingen tider for enkelte kald
    [no_calls] filerne indeholder ingen kald med dette navn
    [other_calls] det talte andre kald, end filerne indeholder
    [not_printed] det skriver ikke dette
    [no_file] ingen fil har, hvad det skriver
   *[unknown] intet i filerne viser hvorfor
}
imported-left-out = ikke læst: { $why }
imported-all = alle
note-imported-said = Hvad et værktøj skriver, står, som det er. Hvor ingen fil har det, er det beregnet efter værktøjets egen regel og mærket sådan; hvad det ikke skriver, står åbent. Ved siden af står, hvad alle kald i filerne siger, også de fejlede; percentiler er nærmeste rang.
imported-right = som værktøjet afgjorde
imported-cannot = Hvad filerne ikke kan fortælle:
imported-unknown = { $what ->
    [intended_starts] hvornår hvert kald skulle være begyndt, og dermed hvor længe kald ville have ventet, som aldrig blev foretaget
    [generator] om generatoren havde processortid, hukommelse og forbindelser i overskud
    [identity] om det var det tilsigtede system, der svarede
    [timeouts] hvilke tidsgrænser værktøjet havde: de viste er ikke dets egne
    [times] hvor længe hvert kald varede: værktøjets tider er dets egne tal, og afgørelser om tider er »kan ikke afgøres«
    [moments] hvornår i sit interval hvert kald sluttede: kald er fordelt jævnt over det
    [failures] hvilke kald der fejlede: alle kald med en tid tæller som vellykkede
    [outside] hvad der skete, før serveren tog imod et kald, og efter at den havde svaret
   *[users] hvor mange virtuelle brugere der var: det mindste antal, som tiderne tillader, er vist
}
table-signs = Gyldighedskontroller med deres tærskler
note-signs = »–« betyder, at der ikke findes en sådan tærskel, eller at intet blev målt. En kontrol af ét trin vedrører afgørelserne om det trin. Kontroller af én slags og tilstand deler en række med den værste af dem; »result.json« har dem hver for sig.
sign-lateness = { $scope }: generatoren startede for sent; p99 for dens startforsinkelse er { $value } (tvivlsom over { $questionable }, ugyldig over { $invalid }).
    .name = Startforsinkelse, p99
sign-lost_starts = { $scope }: generatoren tabte { $value } af de planlagte starter (tvivlsom over { $questionable }, ugyldig over { $invalid }).
    .name = Planlagte starter tabt af generatoren
sign-run_queue = { $scope }: generatorens tråde ventede { $value } af tiden på en processor (tvivlsom over { $questionable }, ugyldig over { $invalid }).
    .name = Generatorens ventetid på en processor
sign-foreign = { $scope }: andre programmer brugte { $value } af maskinens processorer (tvivlsom over { $questionable }, ugyldig over { $invalid }).
    .name = Andre programmer på processorerne
sign-steal = { $scope }: { $value } af processortiden gik til andre maskiner på samme vært (tvivlsom over { $questionable }, ugyldig over { $invalid }).
    .name = Afgivet processortid (steal)
sign-study_faults = { $scope }: { $value } af iterationerne endte ved en fejl i studiet, for eksempel en værdi, der aldrig blev aflæst (tvivlsom over { $questionable }, ugyldig over { $invalid }). De tæller som afbrudte, ikke som mislykkede; fejlklasserne har et eksempel.
    .name = Fejl i studiet
sign-resources = { $scope }: generatoren løb tør for deskriptorer, porte eller hukommelse { $count_n ->
    [one] én gang
   *[other] { $count } gange
}.
    .name = Deskriptorer, porte, hukommelse
sign-cores_full = { $scope }: generatoren brugte { $value } af sin processortid; throughput i denne lukkede belastning er en nedre grænse.
    .name = Generatorens kerner fulde
sign-overloaded = { $scope }: i { $value } af sekunderne havde en af generatorens tråde ingen tid tilovers, mens starter ventede på en forbindelse (tvivlsom over { $questionable }); en del af den ventetid er generatorens egen.
    .name = Generatoren fuld, mens starter ventede
sign-rate = { $scope }: der var planlagt { $planned }, og der sluttede { $ended }; { $found ->
    [none] intet sekund af denne belastning blev startet til tiden, så ingen hastighed blev holdt. »loadproof ceiling« finder den højeste, som denne maskine kan sende.
    [planned] andre sekunder var til tiden ved { $clean }, så det var ikke hastigheden, der forsinkede generatoren, men noget, der kom imellem.
   *[below] den højeste hastighed i et sekund, der blev startet til tiden, er { $clean }: mindst så høj en hastighed ville have været til tiden.
}
    .name = Højeste hastighed til tiden
sign-instance_lost = { $scope }: instansen { $instance } { $kind ->
    [gone] sluttede
    [restart] blev genstartet
   *[other] gik tabt
}, mens den blev målt.
    .name = Instans tabt eller genstartet
sign-node_lost = { $scope }: belastningsnoden { $instance } gik tabt, så den samlede belastning er ukendt.
    .name = Belastningsnode tabt
sign-node_unwatched = { $scope }: fra { $from } til { $to } efter starten er der ingen målinger af det, som noden { $instance } overvågede, fordi den var gået tabt.
    .name = Overvågende node tabt
sign-orphaned = { $scope }: { $instance }, som kørslen havde startet, sluttede sammen med den proces, der ledede kørslen, eller nogen tid efter; ingen ved, fra hvornår belastningen ikke længere ramte noget.
    .name = Instans sluttet med sin kørsel
sign-unwatched = { $scope }: fra { $from } til { $to } efter starten blev der kun overvåget af noder, fordi den proces, der ledede kørslen, var gået ned.
    .name = Overvåget hele vejen
sign-identity = { $scope }: instansen { $instance } er ikke den, der var tænkt.
    .name = Det testede systems identitet
sign-unanswered = { $count_n ->
    [0] Kørslen sluttede, før noget kald blev besvaret: intet viser, at belastningen nåede systemet.
   *[other] Ikke ét af { $count } kald fik noget, der kunne læses ({ $classes }): intet viser, at belastningen nåede systemet.
}
    .name = Der blev svaret
sign-imported = { $tool } drev denne belastning, og kun dets filer er kendt. De fortæller hverken, hvornår kald skulle være begyndt, hvordan generatoren havde det, eller hvem der svarede: tiderne kan rumme generatorens egne forsinkelser, og kald, som uafhængige brugere ville have foretaget, mens andre ventede, mangler.
    .name = Drevet af loadproof
sign-broken_off = { $file } slutter for tidligt eller er beskadiget. Hvor mange kald der mangler, og hvordan de endte, vides ikke.
    .name = Importerede filer hele
sign-unreadable = { $value } af linjerne i { $file } kunne ikke læses ({ $count }; tvivlsom over { $questionable }, ugyldig over { $invalid }). Hvad der stod i dem, vides ikke.
    .name = Importerede linjer læst
sign-unreadable_samples = { $value } af linjerne i { $file } kunne ikke læses ({ $count }; tvivlsom over { $questionable }). Hvad der stod i dem, vides ikke, og hvad der kræves af { $monitor }, hviler på de andre.
    .name = Importerede målinger læst
sign-failures_unknown = Filerne fra { $tool } fortæller ikke om hvert kald, om det fejlede: flere kan være fejlet, end der er talt, og de tæller som lykkede.
    .name = Fejl kendt
sign-approximate = Målingerne i { $files } har ikke deres eget ur; de er placeret ud fra, hvad der ellers vides, og kan høre til andre tidspunkter.
    .name = Målinger med eget ur
sign-killed = Kørslen blev afbrudt udefra: den har ingen afslutning.
    .name = Kørslen sluttede af sig selv
sign-little = { $scope }: antal, tider og samtidighed afviger { $value } fra, hvad Littles lov tillader (ugyldig over { $invalid }).
    .name = Littles lov
sign-open_iterations = { $scope }: { $count } { $count_n ->
    [one] iteration
   *[other] iterationer
} blev startet, uden at slutningen blev set.
    .name = Iterationers slutning set
sign-unsound_rows = { $count } { $count_n ->
    [one] registreret række hænger ikke sammen og er udeladt
   *[other] registrerede rækker hænger ikke sammen og er udeladt
}.
    .name = Registrerede rækker hele
sign-clock_step = { $scope }: maskinens ur blev stillet, mens belastningen stod på.
    .name = Spring i uret
sign-books = { $scope }: regnskabet over iterationer stemmer ikke.
    .name = Regnskabet stemmer
sign-altered_evidence = Bevismateriale mangler, kan ikke læses eller er ændret, efter at det blev forseglet: { $files }.
    .name = Bevismateriale uændret
sign-torn_evidence = { $bytes } beskadiget optagelse er udeladt.
    .name = Bevismateriale ubeskadiget
sign-evidence_lost = En del af det målte kunne ikke gemmes.
    .name = Bevismateriale skrevet

## Conclusions

conclusions-title = Konklusion og anbefalinger
conclusion-title = Konklusion
conclusion-load = { $how ->
    [nothing] I trinnet »{ $step }« blev intet startet.
    [unknown] { $started_n ->
        [one] Trinnet »{ $step }« har én iteration; optagelsen viser ikke, om den mislykkedes.
       *[other] Trinnet »{ $step }« har { $started } iterationer, ved { $rate }; optagelsen viser ikke, hvilke af dem der mislykkedes.
    }
    [all] { $started_n ->
        [one] Den ene iteration i trinnet »{ $step }« lykkedes.
       *[other] Alle { $started } iterationer i trinnet »{ $step }« lykkedes, ved { $rate }.
    }
   *[some] I trinnet »{ $step }« lykkedes { $rate }; af { $started } startede iterationer: { $list }.
}
conclusion-ended = { $book ->
    [completed] { $count } lykkedes
    [failed] { $count } mislykkedes
    [aborted] { $count } afbrudt
   *[open] { $count } stadig åbne
}
conclusion-times = { $what } tog { $mean } i gennemsnit; 90 % af kaldene tog højst { $p90 }, det langsomste { $max }.
count-short = Belastningen sluttede, før antallet var nået: { $begun } af { $planned } iterationer blev begyndt.
conclusion-no-hold = Intet plateau fandt sted, så der konkluderes intet om belastning.
conclusion-all-met = { $all_n ->
    [one] Den ene afgørelse er »overholdt«.
   *[other] Alle { $all } afgørelser er »overholdt«.
}
conclusion-count = { $verdict ->
    [met] { $number } overholdt
    [not_met] { $number } ikke overholdt
   *[other] { $number } kan ikke afgøres
}
conclusion-verdicts = Afgørelser: { $list }.
conclusion-no-limit = Der blev ikke observeret noget, der begrænser throughput ved denne belastning.
conclusion-not-met = Ikke overholdt: { $list }.
conclusion-one = { $name } (målt { $measured }, grænse { $limit })
heads-title = Resultater i hovedpunkter
heads-throughput = Throughput
heads-response = Svartid
heads-processor = CPU
heads-network = I/O på netværk
heads-memory = Hukommelsesforbrug
heads-collection = Garbage collection
heads-lag = Consumer lag
heads-extrapolation = Ekstrapolation
heads-best-disturbed = Intet plateau blev målt uforstyrret, så der konkluderes intet om belastning.
heads-best = Det højeste throughput var { $rate }, i { $scenario } ved { $load }.
heads-no-limit = Studiet stiller ingen krav til, hvor stor en andel af kaldene der skal holde en bestemt tid.
heads-limit = Kravet »{ $limit }«, for hvert trin og hver server: { $verdicts }.
heads-limit-disturbed = Kravet »{ $limit }«: intet scenarie, som det gælder for, blev målt uforstyrret, så der konkluderes intet.
heads-limit-kept = Kravet »{ $limit }«, for hvert trin og hver server: { $verdicts }. Den længste tid, som { $share } af kaldene holdt, var { $time } ({ $place }, { $scenario }).
heads-not-watched = Ikke overvåget i denne kørsel.
heads-zero = Overvåget, men nul i hele kørslen.
heads-disturbed = Overvåget, men intet scenarie blev målt uforstyrret, så der konkluderes intet.
heads-level = { $metric } for { $instance } var i gennemsnit { $mean } og højst { $max }.
heads-course = { $metric } for { $instance } gik fra gennemsnitligt { $from } i { $first } til { $to } i { $last }; højeste måling var { $max }.
heads-findings = Se { $findings }.
heads-refused = Ingen mængde kunne beregnes; begrundelserne står i kapitlet om kapacitet.
heads-no-volume = Studiet beder ikke om en ekstrapolation (»capacity«).
table-limits-by-step = Krav til svartid, trin for trin og server for server
note-limits-by-step = ✓ overholdt, ✗ ikke overholdt, ? kan ikke afgøres. Tiden er den, som netop den krævede andel af kaldene holdt: med den som grænse ville den målte andel have været tilstrækkelig. Nedenunder står antallet af kald over grænsen.
limits-by-step-limit = { $share } under { $limit }
limits-by-step-none = ingen over
limits-by-step-beyond = { $beyond } over ({ $share })
recommendations-title = Anbefalinger
recommendations-none = Ingen regel fandt noget, der kræver handling.
table-recommendations = Hvad fundene giver anledning til
open-points-title = Åbne punkter
open-points-above = { $number_n ->
    [one] Ét krav kan ikke afgøres
   *[other] { $number } krav kan ikke afgøres
}: { $list }. Hvad der ville afgøre { $number_n ->
    [one] det
   *[other] dem
}, står ved afgørelserne.
open-points-first = for det første af disse steder
table-conclusions = Hvad hvert scenarie viste
note-conclusions = Belastninger, antal og begrundelser står under »Konklusion« i kapitlet om det enkelte scenarie.
table-open-points = Hvad denne kørsel ikke afgør, og hvad der ville afgøre det

## Statistics, checks, conformance

statistics-title = Rå statistik
statistics-intro = Hver tabel i denne rapport som fil, med uafrundede tal og alle rækker.
table-tables = Tabeller og deres filer
checks-title = Kontroller og det udeladte
checks-intro = Det, der så på tallene, før nogen sætning blev skrevet. Hver regel ser på hver kørsel.
table-checks = Anvendte regler
note-checks = Hvad hver regel leder efter, står under dens navn i dokumentationen.
table-checks-signs = Udførte gyldighedskontroller
note-checks-signs = »–«: kontrollen havde intet at se på i denne kørsel.
checks-nothing = intet fundet
checks-left-out = Det, denne side udelader
left-out-missing = { $missing_n ->
    [0] Ingen værdi mangler i nogen tabel.
    [one] Én værdi står som »–«, fordi der ikke er grundlag for den.
   *[other] { $missing } værdier står som »–«, fordi der ikke er grundlag for dem.
}
left-out-thinned = { $thinned_n ->
    [one] Én tabel er længere, end siden viser; dens fil er hel.
   *[other] { $thinned } tabeller er længere, end siden viser; deres filer er hele.
}
left-out-blocks = Profilen { $profile } udelader: { $list }.
left-out-terms = Profilen har ord til beskeder, der ikke findes: { $list }.
conformance-title = Overensstemmelse med profilen
conformance-intro = Hvad profilen { $profile } kræver, og hvor det står i denne rapport.
conformance-sum = Af { $all } krav er { $met } besvaret og { $unmet } ikke.
conformance-why-not = Ikke besvaret: { $why }
conformance-not-answered = Ikke besvaret: ingen blok i profilen besvarer det.
conformance-not-in-run = Ikke besvaret: denne kørsel har ingen data om det.
table-conformance = Krav, og hvor de står

## Threats

threats-title = Trusler mod gyldigheden
threats-above = Det, der svækker resultatet, står i kapitlet »{ $chapter }«: ved kørslens gyldighed og under »{ not-shown-title }«.
threats-findings-title = Fund, der har betydning for, hvordan tallene skal læses
threat-single-run = Én kørsel: hvor meget resultater svinger fra kørsel til kørsel, er ukendt, og intet interval her indeholder det.
threat-trial = Forkortet prøvekørsel: faser og ventetider er forkortet til { $factor } af deres planlagte længde, så tendenser, læk og sjældne hændelser er uden for rækkevidde.
threat-left-out = Udeladt af prøvekørslen: { $text }
threat-shared-machine = Belastningsgenerator og system kørte på samme maskine og konkurrerede om dens processorer, hukommelse og netværk.
threat-closed = Lukket belastning: et langsomt svar forsinker brugerens næste forespørgsel, så langsomme perioder indeholder færre kald, end de ville i produktion.
threat-no-study = Studiet kunne ikke læses: formål, forudsætninger og grænser i figurer mangler.

## Environment

environment-title = Registreret miljø
environment-no-instances = Ingen instans af systemet er registreret.
environment-no-facts = Ingen oplysning om maskine eller software er registreret.
environment-stated = Oplyst af forfatteren
environment-stated-note = Det følgende er skrevet af studiets forfatter; ingen har registreret det, og intet er vurderet efter det.
table-facts-stated = Oplysninger, som de er oplyst
table-instances = Systemets instanser
note-instances = Kommandoer nævner hemmeligheder ved navn og indeholder dem aldrig. Identitet er det, instansen selv svarede, da den blev spurgt.
table-facts = Oplysninger registreret ved begyndelsen og ved slutningen
note-facts = Registreret af monitorerne, ikke tastet ind. »–« ved slutningen: ikke registreret igen.

## Methods

methods-title = Metoder og tærskler
method-percentile = Percentiler er nearest rank, x(⌈qN⌉), fra histogrammer lagt sammen over sekunder og tråde; mindste og største tider er eksakte.
method-histogram = Histogrammets klasser er højst 0,1 % brede fra 205 µs og op og 100 ns brede derunder, op til én time.
method-share = »95 % under T« vurderes som en andel: kald over T tælles eksakt, mens belastningen står på, og antallet holdes op mod grænsen med eksakte binomiale grænser (Clopper–Pearson, 5 % til hver side).
method-design-effect = Kald tæt på hinanden i tid er ikke uafhængige. Deres spredning over tid giver designeffekten, som antal divideres med, før der dannes noget interval; det, der er usikkert ved den, gør intervallet endnu bredere.
method-mean = Gennemsnit vurderes med Students t-fordeling over de samme grupper.
method-census = Største og mindste tider, antal, og andele, der kræves til 0 % eller 100 %, er eksakte udsagn om denne kørsel og har intet interval.
method-validity = Gyldigheden afgøres først. En kontrol, der ikke bestås, omstøder kun de afgørelser, som forstyrrelsen kan have ændret: en forsinket generator gør tider længere, så en grænse, der alligevel blev holdt, er holdt.
method-figures = Linjer med mere end 1.200 punkter beholder det første, mindste, største og sidste punkt i hver pixelkolonne (M4), så intet yderpunkt går tabt.
table-settings = Tærskler og valg i denne version
setting-confidence = Konfidens for intervaller
setting-verdict_confidence = Konfidens for et interval, der bestemmer en afgørelse
setting-wrong_verdict = Sandsynlighed for en forkert afgørelse, til hver side
setting-batches = Grupper til designeffekten
setting-lateness_questionable = Startforsinkelse p99, tvivlsom over
setting-lateness_questionable_share = eller over denne andel af mediansvartiden, hvis den er større
setting-lateness_invalid = Startforsinkelse p99, ugyldig over
setting-lateness_invalid_share = eller over denne andel af mediansvartiden, hvis den er større
setting-lost_questionable = Tabte planlagte starter, tvivlsom over
setting-lost_invalid = Tabte planlagte starter, ugyldig over
setting-run_queue_questionable = Ventetid på en processor, tvivlsom over
setting-run_queue_invalid = Ventetid på en processor, ugyldig over
setting-steal_questionable = Afgivet processortid, tvivlsom over
setting-steal_invalid = Afgivet processortid, ugyldig over
setting-foreign_questionable = Andre programmers processortid, tvivlsom over
setting-foreign_invalid = Andre programmers processortid, ugyldig over
setting-cores_full = Generatorens processorandel, hvor en lukket belastning er en nedre grænse
setting-little_invalid = Uoverensstemmelse med Littles lov, ugyldig over
setting-samples_missing = Målinger, der må mangle i en vurderet serie

## Data inventory

inventory-title = Datafortegnelse
inventory-intro = Det, denne rapport er lavet af. Alt bevismateriale ligger i kørslens mappe, med en kontrolsum for hver fil i manifestet.
inventory-seed = Startværdi (seed)
inventory-schema = Bevismaterialets skema
inventory-no-data = Studiet bruger intet datasæt.
table-inventory = Kørsel og bevismateriale
note-inventory = SHA-256 for hver fil i bevismaterialet står i »evidence/manifest.json«; filer, der ikke længere stemmer med den, er nævnt på titelbladet.
table-data = Datasæt, som de blev brugt

## Column heads

col-scenario = Scenarie
col-measure = Tider
col-time = Tid
col-time-in-scenario = Tid i scenariet
col-planned = Planlagt
col-started = Startet
col-dropped = Bortfaldet
col-ended-well = Lykkedes
col-failed = Mislykkedes
col-transaction = Transaktion
col-count = Antal
col-made-of = Består af
col-calls = Kald
col-max = Maks.
col-min = Min.
col-mean = Gns.
col-bin-least = Hurtigste fra
col-bin-fullest = Hyppigste fra
col-bin-greatest = Langsomste fra
col-percentile = Percentil
col-response = Svar
col-service = Service
col-low = Lav
col-high = Høj
col-upto = Op til
col-from = Fra
col-share = Andel
col-share-below = Andel under
col-requirement = Krav
col-where = Hvor
col-used = Brugt
col-verdict = Afgørelse
col-in-words = I ord
col-measured = Målt
col-limit = Grænse
col-severity = Vægt
col-behind = Grundlag
col-design-effect = Designeffekt
col-reason = Begrundelse
col-step = Trin
col-length = Varighed
col-users = Brugere
col-offered = Ønsket
col-achieved = Opnået
col-throughput = Throughput
col-validity = Gyldighed
col-name = Navn
col-value = Værdi
col-meaning = Betydning
col-used-in-load = Brugt
col-exchange = Udveksling
col-outcome = Udfald
col-class = Klasse
col-account = Skyldes
col-sample = Hvad der blev set
col-metric = Serie
col-instance = Instans
col-growth = Vækst
col-samples = Målinger
col-missing = Mangler
col-run-time = Tid i kørslen
col-event = Hændelse
col-subject = Emne
col-text = Hvad der skete
col-state = Tilstand
col-sign = Kontrol
col-questionable = Tvivlsom over
col-invalid = Ugyldig over
col-address = Adresse
col-command = Kommando
col-identity = Identitet
col-faults = Fejlkontakter
col-at-start = Ved begyndelsen
col-at-end = Ved slutningen
col-setting = Indstilling
col-file = Fil
col-rows = Rækker
col-rule = Regel
col-places = Steder
col-load = Belastning
col-recommendation = Hvad der skal gøres
col-because = Begrundet i
col-content = Indhold
col-found = Fundet
col-findings = Fund
col-not-met = Ikke overholdt, med grænse
col-workload = Arbejdsbelastning
col-looked = Set på
col-against = Imod
col-number = Nr.
col-demand = Krav
col-stands = Hvor det står

## Reasons of verdicts

reason-fell = Hastigheden faldt fra { $before } til { $after }, { $at } efter begyndelsen (mellem { $at_low } og { $at_high }){ $shape ->
        [decline] , langsomt: grænserne er faldets egne
       *[step] { "" }
    }. { $side ->
        [inside] Hele intervallet for antallet ligger på den rigtige side af grænsen.
        [outside] Hele intervallet for antallet ligger på den forkerte side af grænsen.
       *[straddles] Grænsen ligger i intervallet for antallet.
    } Mængde og tid er blandet sammen i én kørsel.
reason-fell_not = Hastigheden faldt ikke i { $seconds }; antallet, hvor den falder, ligger altså ud over alt det, der kom. { $side ->
        [inside] Det ligger på den rigtige side af grænsen.
        [outside] Det ligger på den forkerte side af grænsen.
       *[straddles] Om det ligger ud over grænsen, vides ikke: kør længere.
    }
reason-fell_perhaps = Hastigheden er måske faldet, tidligst { $at_low } efter begyndelsen, eller den svingede blot. { $side ->
        [inside] Det, der kom før, ligger på den rigtige side af grænsen.
        [outside] Det, der kom før, ligger på den forkerte side af grænsen.
       *[straddles] Det, der kom før, når ikke grænsen.
    }
reason-rate_shifts = Hastigheden skifter mellem varige niveauer; én arbejdshastighed beskriver den ikke. Bedøm et vindue, hvor det ikke sker: `in first 2m of hold`.
reason-worked = { $number_n ->
        [0] Der blev ikke fundet nogen standsning; dette er altså gennemsnittet over hele tiden.
       *[other] Målt i { $duty } af tiden, mellem { $number } standsninger på omkring { $lasts }; de kostede { $lost }. Over hele tiden er gennemsnittet { $mean }.
    } { $side ->
        [inside] Hele intervallet ligger på den rigtige side af grænsen.
        [outside] Hele intervallet ligger på den forkerte side af grænsen.
       *[straddles] Grænsen ligger i intervallet.
    }
reason-interval_inside = Hele intervallet ligger på den gode side af grænsen.
reason-interval_outside = Hele intervallet ligger på den forkerte side af grænsen.
reason-interval_straddles_limit = Intervallet indeholder grænsen, så de { $count } kald eller målinger bag det afgør den ikke.
reason-interval_straddles_needs = Intervallet indeholder grænsen. { $count } kald afgør det ikke; omkring { $needed } flere ville gøre det, hvis andelen forbliver den samme.
reason-change_inside = { $subject } målt mod { $base }: hele intervallet for ændringen ligger på den gode side af grænsen.
reason-change_outside = { $subject } målt mod { $base }: hele intervallet for ændringen ligger på den forkerte side af grænsen.
reason-change_straddles = { $subject } målt mod { $base }: intervallet for ændringen indeholder grænsen. Længere faser med fuld belastning, eller gentagelser af begge, gør det smallere.
# Den første linje i en sammenligning.
headline-times = { $way ->
    [slower] { $factor } gange langsommere
   *[faster] { $factor } gange hurtigere
}
headline-percent = { $way ->
    [slower] { $change } langsommere
   *[faster] { $change } hurtigere
}
headline-at-least = mindst { $change }
headline-differs = { $count_n ->
    [0] Intet, der blev registreret om de to sider, er forskelligt.
   *[other] Forskellen er: { $what }{ $left_n ->
        [0] .
       *[other] ; og { $left } mere.
    }
}
side-all = alle andre
headline-none = Intet kan sammenlignes: { $what }.
difference-both = { $value } i begge
headline-nothing = Hverken for tider eller fejl er der vist en forskel; { $open } af { $rows } linjer kan ikke afgøres.
reason-compared_apart = Der er for lidt tid til et interval, men de nærmeste af { $parts } dele af hver side ligger mere end dobbelt så langt fra hinanden som delene af hver side indbyrdes.
reason-compared_at_least = Kald på den anden side blev afbrudt ved timeout, så værdien er en nedre grænse; selv da ligger hele intervallet over båndet på ±{ $limit }.
reason-compared_baseline = Kørslen { $run }, som dette sammenlignes med, kan ikke bruges ({ $why }).
reason-compared_base_censored = Kald i grundlaget blev afbrudt ved timeout: værdien er en nedre grænse, og med den er der intet forhold.
reason-compared_census = Én værdi for hver kørsel, uden interval: én kørsel på hver side siger intet om den.
reason-compared_dealt = Efter intervallet ville rækken gælde som forskellig. Men fordeles begge siders tidsblokke på ny, ligger de lige så langt fra hinanden i { $chance } af tilfældene.
reason-compared_family = For sig selv ville rækken gælde som forskellig. Blandt { $rows } rækker optræder en sådan for ofte tilfældigt (Benjamini–Hochberg).
reason-compared_changed = Det har ændret sig: intervallet rummer ikke »ingen ændring«. Om det er mere end ±{ $limit }, er ikke afgjort.
reason-compared_differs = Kan ikke sammenlignes, fordi de to afviger i dette: { $what }.
reason-compared_few_calls = { $count_n ->
    [one] Ét kald på siden med færrest er for lidt
   *[other] { $count } kald på siden med færrest er for få
} til denne percentil; der skal mindst { $needed } til.
reason-compared_inside = Hele intervallet ligger inden for ±{ $limit }.
reason-compared_invalid = Kan ikke sammenlignes: { $where ->
    [base] grundlagets måling er ugyldig og siger intet om systemet.
    [other] den anden sides måling er ugyldig og siger intet om systemet.
   *[both] begge målinger er ugyldige og siger intet om systemet.
}
reason-compared_no_samples = { $where ->
    [base] Grundlaget har intet af dette at sammenligne.
    [other] Den anden side har intet af dette at sammenligne.
   *[both] Ingen af siderne har noget af dette at sammenligne.
}
reason-compared_one_level = Et sådant niveau hører til en kørsel og ville også afvige i den næste; én kørsel på hver side siger intet om det. Gentag begge.
reason-compared_other_censored = Kald på den anden side blev afbrudt ved timeout: værdien er en nedre grænse, som hverken beviser eller udelukker en forskel.
reason-compared_outside = Hele intervallet ligger uden for ±{ $limit }.
reason-compared_questionable = Hele intervallet ligger inden for båndet, men en tvivlsom måling beviser ingen lighed.
reason-compared_saturated = { $count } tider var over en time, og percentilen ligger blandt dem.
reason-compared_straddles = Intervallet går hen over en kant af ±{ $limit }, så hverken forskel eller lighed er bevist.
reason-compared_straddles_runs = Intervallet går hen over en kant af ±{ $limit }; omkring { $needed } kørsler på hver side ville afgøre det, hvis alt forbliver, som det blev set.
reason-compared_too_short = Værdierne strækker sig over { $seconds }, hvilket er for kort til at se, hvor meget nabosekunder afhænger af hinanden; de skulle strække sig over mindst { $needed }.
row-reason-too-short = Værdierne strækker sig over { $seconds }, hvilket er for kort til at se, hvor meget nabosekunder afhænger af hinanden. Hver række angiver, hvor lang tid de skulle strække sig over.
reason-compared_unsettled = { $open_n ->
    [one] Ét kald
   *[other] { $open } kald
} hverken lykkedes eller mislykkedes: afbrudt ved slutningen af tømningen eller aldrig sendt, fordi en tidligere udveksling mislykkedes. Hvad de var blevet til, kan ændre dette.
reason-compared_within_noise = Forskellen er ikke større end det, maskinen selv kan lægge til et kald: generatorens egne tråde blev vækket lige så sent.
reason-compared_zero = En værdi på 0 har intet forhold.
reason-compared_sparse = Dele af kørslen har ingen positiv værdi, så der er intet interval.
reason-census = Talt eksakt; intet er skønnet.
reason-counts_differ = De er ikke ens: { $counts }. Det største og det mindste antal ligger { $difference } fra hinanden.
worst-place = Værst i { $place }: { $reason }
reason-reconciled = Talt fra før belastningen til efter den, og ens: { $counts }.
reason-not_counted_before = Der blev ikke overvåget noget, før belastningen begyndte, så det vides ikke, hvad der allerede var talt. Giv scenariet en fase »idle«.
reason-not_counted_after = Der blev ikke overvåget noget efter det sidste svar, så det sidste af belastningen kan mangle i tællingen. Giv scenariet en fase »recovery«.
reason-too_few = { $count_n ->
    [one] Ét kald er for lidt
   *[other] { $count } kald er for få
} til denne percentil; der kræves mindst { $needed }.
reason-far_outside = Den vurderede del er for kort til at bestemme, hvor meget værdier tæt på hinanden i tid afhænger af hinanden, men ligger så langt på den forkerte side af grænsen, at det ikke betyder noget: selv hvis alle { $count } gik galt sammen, ville et system, der overholder grænsen, vise det i højst én ud af { $runs } kørsler.
reason-too_few_batches = Den vurderede del er for kort til at bestemme, hvor meget værdier tæt på hinanden i tid afhænger af hinanden: den giver { $batches } grupper af værdier, og der kræves { $needed }. Derfor kan der ikke angives et interval for de { $count } værdier.
reason-too_short_for_memory = Langsomme perioder varer så længe, at { $count } værdier i den vurderede del viser for lidt af systemets udsving. Der kræves mindst { $times } gange så lang tid.
reason-bucket_straddles_limit = Grænsen blev ikke talt, mens belastningen stod på, og falder inden for én klasse i histogrammet, hvis bredde bestemmer afgørelsen. Kør igen med denne grænse i studiet.
reason-compound_estimate = Reglen sammensætter skøn på en måde, som der ikke kendes noget interval for; kun eksakte antal kan sammensættes sådan.
reason-instance_lost = { $instance } holdt ikke hele vejen: { $kind ->
    [gone] den sluttede.
    [restart] den blev genstartet.
    [identity] det er ikke den, der var tænkt.
   *[other] { $kind }.
}
reason-other_requirement = Følger af kravet { $requirement }.
# Hvad en kontrol af gyldigheden, der fejlede, gjorde ved en afgørelse, der står ved siden af den.
disturbed-harmless = Det, som kontrollen »{ $check }« fandt (i { $where }), kan kun have { $moves ->
    [raised] hævet dette tal, så afgørelsen står fast.
    [lowered] sænket dette tal, så afgørelsen står fast.
   *[either] flyttet dette tal på en måde, der ikke kan have ændret afgørelsen.
}
disturbed-bounded = Det, som kontrollen »{ $check }« fandt (i { $where }), kan højst have flyttet dette tal med { $at_most }; afgørelsen holder også uden det.
disturbed-slight = Det, som kontrollen »{ $check }« fandt (i { $where }), kan have flyttet dette tal. Hvor meget vides ikke; et »ikke overholdt« trækkes kun tilbage, hvor det vides at være forklaringen.
limits-changed = Studiet sætter egne grænser for »{ $check }«: { $because }
reason-run_invalid = Målingen er ugyldig i { $where } ({ $sign }); uden det kunne afgørelsen være en anden.
reason-run_questionable = Målingen er tvivlsom i { $where } ({ $sign }); uden det kunne afgørelsen være en anden.
reason-cut_short = Trinnet blev afbrudt før tid, så man kan ikke stole på et »overholdt«.
reason-cut_short_below = Trinnet blev afbrudt før tid, og resten kunne have bragt det, der mangler.
reason-edges_unknown = Hvornår trinnet begyndte eller sluttede, står ikke i nogen tabel, der er tilbage, så ingen hastighed over hele trinnet er kendt.
reason-left_out = Tabellen { $table } mangler eller kan ikke læses, så tallet er ukendt.
reason-no_clock = De { $rows } rækker i { $file } har intet ur, og intet placerer dem i kørslen. { $why ->
    [no_interval] »--start« og »--every« ville placere dem ved at tælle; »--every« alene prøver, hvor de følger belastningen.
    [too_few] Det blev prøvet at placere dem efter belastningen, { $every } fra hinanden, og der skal { $needed } rækker til at dække den. »--start« siger, hvornår den første blev taget.
    [short_load] Det blev prøvet at placere dem efter belastningen, { $every } fra hinanden, og belastningen dækker færre end de { $needed } intervaller, der skal til. »--start« siger, hvornår den første blev taget.
    [flat] Det blev prøvet at placere dem efter belastningen, { $every } fra hinanden, og de varierer ikke, eller belastningen gør det ikke. »--start« siger, hvornår den første blev taget.
    [apart] Det blev prøvet at placere dem efter belastningen, { $every } fra hinanden, og de følger den ingen steder: den højeste korrelation er { $correlation }, hvilket er for lavt. »--start« siger, hvornår den første blev taget.
   *[repeats] Det blev prøvet at placere dem efter belastningen, { $every } fra hinanden, og de følger den lige godt flere steder (korrelation { $correlation }). »--start« siger, hvornår den første blev taget.
}
reason-outside_run = 0 af { $rows } rækker i { $file } ligger inden for kørslen: de er fra { $from } til { $to }, og kørslen er fra { $run_from } til { $run_to }. En zone, der ikke er stemplernes, kan være årsagen (»--zone«).
reason-unsettled = { $open_n ->
    [one] Ét kald
   *[other] { $open } kald
} hverken lykkedes eller mislykkedes: afbrudt ved slutningen af tømningen, aldrig sendt, fordi en tidligere udveksling mislykkedes, eller stadig i kø til en forbindelse. Talt som mislykkede ville de ændre afgørelsen; en længere tømning lader igangværende kald blive færdige.
reason-censored = Kald, der løb ud i timeout, varede længere, end man ved, så et »overholdt« kan ikke hvile på deres tider. Spørg til tiderne for dem, der lykkedes, og til andelen, der mislykkedes.
reason-no_samples = Intet blev registreret af det, reglen ser på.
reason-not_run = Det trin, reglen ser på, fandt ikke sted.
reason-not_yet = Denne version kan ikke afgøre regler af denne slags.
reason-samples_missing = For mange målinger i den overvågede serie mangler.
reason-trial = Tendenser og mængder vurderes ikke i en forkortet prøvekørsel.
reason-units_differ = Reglens to sider har forskellige enheder.
reason-drift_unclear = Hverken drift eller stabilitet er påvist: en ændring på under { $detectable } i timen ville ikke være fundet med 80 % styrke (horisont { $horizon }). Hold belastningen længere. Værdierne spredte sig med { $spread } af deres gennemsnit (variationskoefficient).
within-drift_unclear = Hverken drift eller stabilitet er påvist: en ændring på under { $detectable } over { $horizon } ville ikke være fundet med 80 % styrke. Hold belastningen længere. Værdierne spredte sig med { $spread } af deres gennemsnit (variationskoefficient).
within-drifts = Værdien ændrede sig med { $hourly } over { $horizon }. Det er mere, end reglen tillader, og hældningens interval indeholder ikke nul. Værdierne spredte sig med { $spread } af deres gennemsnit (variationskoefficient).
within-steady = Ingen drift ud over grænsen: en ændring på { $detectable } eller mere over { $horizon } ville være fundet (80 % styrke). Værdierne spredte sig med { $spread } af deres gennemsnit (variationskoefficient).
reason-drifts = Værdien ændrer sig med { $hourly } i timen. Over { $horizon } er det mere, end reglen tillader, og hældningens interval indeholder ikke nul. Værdierne spredte sig med { $spread } af deres gennemsnit (variationskoefficient).
reason-level_shift = Niveauet skiftede { $at } efter begyndelsen, fra { $before } til { $after }.
reason-no_baseline = Der er ingen hvilefase, så det niveau, der skal vendes tilbage til, er ukendt. Giv scenariet en fase »idle«.
clause-decides = »{ $clause }« afgør det. { $why }
clause-shown = Alle betingelser holder; tallene er dem for »{ $clause }«. { $why }
reason-steady = Ingen drift ud over grænsen: en ændring på { $detectable } i timen eller mere ville være fundet (80 % styrke; horisont { $horizon }). Værdierne spredte sig med { $spread } af deres gennemsnit (variationskoefficient).
reason-too_short = Der blev kun målt i { $have }; et udsagn om forløbet kræver mindst { $needed }.

## Findings

down-asked-means = Studiet bad om det med fejlkontakten »crash«: det, der er målt derefter, er hvordan systemet klarer udfaldet, og ikke det fulde system.
down-asked-do = Læs af afstemningen og af fejlene fra det tidspunkt, hvordan udfaldet blev klaret.
finding-unknown-means = Denne regel har ingen sætning i kataloget; dens tal står ovenfor.
finding-LITTLE =
    .seen = I { $scope } var { $concurrency } iterationer i gang i gennemsnit, men { $rate } à { $time } giver { $expected }: en afvigelse på { $off }.
    .means = Antal, tider og samtidighed modsiger hinanden (Littles lov). Indtil det er forklaret, skal tider og hastigheder for dette trin læses med forbehold.
    .do = Find ud af, om det er antal, tider eller samtidighed, der er forkert, før noget af det bruges: sammenlign antallene med systemets egen log, og gentag trinnet.
finding-BACKLOG =
    .seen = I { $scope } blev der tilbudt { $offered }, og kun { $ended } sluttede under belastningen; arbejdet under behandling voksede fra { $from } til { $to } iterationer.
    .means = Der kom mere, end systemet kunne nå, og resten hobede sig op. Tiderne voksede, så længe målingen varede, og en længere måling havde givet længere tider; den tilbudte hastighed kan systemet ikke holde til.
    .do = Se, hvad der begrænsede scenariet, udvid det, og find den højeste hastighed, hvor intet hober sig op.
finding-OTHER-WORK =
    .seen = I { $scope } var { $busy } af { $cores } optaget; de overvågede processer og generatoren brugte heraf { $own } (grænse { $limit } af det, der var optaget).
    .means = Andet arbejde på denne maskine, eller en del af systemet, som ikke blev overvåget, optog processorerne. Hvor optaget processorerne var, siger derfor intet om, hvad denne belastning kræver; ventetid på en processor kan dog have gjort kald langsommere.
    .do = Flyt det andet arbejde væk fra denne maskine, eller overvåg den proces, der mangler, og gentag kørslen.
finding-GEN-SAT =
    .seen = I { $scope } manglede generatoren processortid: { $sign ->
        [overloaded] i { $value } af sekunderne havde en tråd ingen tid tilovers, mens starter ventede på en forbindelse
        [run_queue] dens tråde ventede { $value } af tiden på en kerne
        [steal] { $value } af processortiden gik til andre maskiner
       *[cores_full] dens tråde brugte { $value } af deres processortid
    } (grænse { $limit }).
    .means = Generatoren begrænsede testen. Tider kan være for lange og throughput for lavt.
    .do = Giv generatoren flere kerner eller sin egen maskine, og gentag kørslen.
finding-GEN-SLIP =
    .seen = I { $scope } var hver hundrede start mere end { $lateness } forsinket (grænse { $limit }).
    .means = Belastningen kom senere og mere samlet end planlagt; generatorens egen forsinkelse er en del af svartiderne.
    .do = Flyt andet arbejde væk fra generatorens maskine, eller giv den flere kerner, og gentag kørslen.
finding-GEN-CEILING =
    .seen = I { $scope } er der planlagt { $rate }, { $share } af de { $ceiling }, som generatoren på denne maskine sendte til tiden til et mål, der intet gør (grænse { $limit }).
    .means = Generatoren har ikke meget at give af. Det, som et rigtigt mål koster den, længere svar, kontroller eller en delt maskine, kan bruge det op.
    .do = Giv generatoren flere tråde eller sin egen maskine, eller sænk hastigheden; hold øje med dens startforsinkelse og dens ventetid på en processor.
finding-GEN-DROP =
    .seen = I { $scope } blev { $dropped } af { $intended } planlagte iterationer ({ $share }) aldrig startet; heraf { $lost } på grund af generatoren.
    .means = Systemet mødte en mindre belastning, end studiet bad om. Andele er af det planlagte, så intet forsvinder fra dem.
    .do = Find ud af, hvad der holdt starterne tilbage, loftet over forbindelser (»max_in_flight«) eller generatoren selv; giv det plads, og gentag kørslen.
finding-CO-CLOSED =
    .seen = I { $scope } varede det langsomste kald { $max } mod en median på { $median }, i en lukket belastning.
    .means = Mens kald var langsomme, bad brugerne ikke om noget: i produktion ville langt flere kald have ramt den langsomme periode. Percentilerne her er sandsynligvis for gunstige.
    .do = Mål det samme arbejde med en åben belastning (»arrivals«) med den hastighed, produktionen har.
finding-MEAN-GT-P90 =
    .seen = I { $scope } ligger gennemsnittet ({ $mean }) over p90 ({ $p90 }); den langsomste tiendedel varede i gennemsnit mindst { $tail }.
    .means = Nogle få meget langsomme kald bestemmer gennemsnittet. Det svarer ikke til det, nogen bruger oplever; brug percentiler.
    .do = Stil krav som percentiler eller andele, og se efter, hvad de langsomste kald har til fælles.
finding-CENSORED =
    .seen = I { $scope } løb { $timeouts_n ->
        [one] ét kald
       *[other] { $timeouts } kald
    } ({ $share }) ind i timeouten; p{ $quantile } og derover er begrænset af den.
    .means = Disse percentiler er nedre grænser: kaldene ville have varet mindst så længe.
    .do = Find ud af, hvorfor disse kald ikke slutter; forhøj timeouten, og gentag kørslen, hvis det skal vides, hvor længe de varer.
finding-ERR-FAST =
    .seen = I { $scope } mislykkedes { $share } af kaldene, med en median på { $failed } mod { $ok } for dem, der lykkedes.
    .means = Fejl besvares hurtigt, så tal over alle kald ser bedre ud end det, de vellykkede kald mødte. Læs rækkerne hver for sig.
    .do = Find først årsagen til fejlene; sammenlign indtil da kun kald, der lykkedes.
finding-FEW =
    .seen = I { $scope } lykkedes { $count_n ->
        [one] ét kald
       *[other] { $count } kald
    }; en p99 med interval kræver { $needed }.
    .means = Højere percentiler kan ikke skønnes ud fra så få kald og står som »–«.
    .do = Gør plateauet så langt, at { $needed } kald lykkes.
finding-DOWN =
    .seen = { $instance } { $kind ->
        [gone] sluttede
        [restart] blev genstartet
       *[other] var ikke den, der var tænkt,
    } { $at } inde i kørslen{ $last ->
        [none] .
       *[other] { " " }(bemærket { $noticed } gange, senest efter { $last }).
    }
    .means = Fra da af blev et andet system målt end det, der var tænkt. Resultater efter det tidspunkt hører ikke til det fulde system.
    .do = Læs loggen fra { $instance } omkring det tidspunkt, fjern årsagen, og gentag kørslen.
finding-LEAK =
    .seen = I { $scope } steg { $series } for { $instance } uafbrudt i { $hold }{ $collections ->
        [none] , med
       *[other] , efter { $collections } oprydninger, med
    } { $hourly } i timen (95 %-interval { $hourly_low } til { $hourly_high }){ $per_iteration ->
        [none] , til { $level }.
       *[other] , { $per_iteration } pr. iteration, til { $level }.
    } { $full ->
        [none] Nogen grænse for det er ikke kendt.
       *[other] I det tempo nås grænsen om { $full }{ $full_low ->
            [none] .
           *[other] { " " }({ $full_low } til { $full_high ->
                [none] aldrig
               *[other] { $full_high }
            }).
        }
    }
    .means = { $collections ->
        [none] { $grade ->
            [suspected] Der er mistanke om et hukommelseslæk. Kun kurvens underkant er undersøgt, så det er ikke det, der smides væk og ryddes op; om det er en cache uden grænse, kan denne kørsel ikke sige.
           *[possible] Et hukommelseslæk er muligt. Under en halv time kan en stigning ikke skelnes fra noget, der fyldes op.
        }
       *[other] { $grade ->
            [confirmed] Et hukommelseslæk har fyldt heapen: det, oprydninger efterlader, steg, til der næsten ikke var plads tilbage. Kun en cache, der skal fylde heapen, ville se sådan ud.
            [suspected] Der er mistanke om et hukommelseslæk. Kun det, oprydninger efterlader, er undersøgt, så det er ikke affald; om det er en cache uden grænse, kan denne kørsel ikke sige.
           *[possible] Et hukommelseslæk er muligt. Under en halv time, eller med så få oprydninger, kan en stigning ikke skelnes fra noget, der fyldes op.
        }
    }
    .do = Hold belastningen i en time eller mere, i to tempi: et læk vokser med kaldene og stopper ikke. Led derefter efter, hvad { $instance } gemmer fra hvert kald{ $collections ->
        [none] .
       *[other] : et heap-dump i begyndelsen og et i slutningen viser det.
    }
finding-CEILING =
    .seen = I { $scope } stod { $series } for { $instance } { $of ->
        [collections] nær sin grænse på { $ceiling } efter { $time } af oprydningerne; den nåede { $reached } af den.
       *[time] ved sin grænse på { $ceiling } i { $time } af tiden; den nåede { $reached } af den.
    }
    .means = { $of ->
        [collections] Oprydninger efterlader næsten ingen plads: de næste kald finder heapen fuld igen. Tallene kan være heapstørrelsens og ikke systemets.
       *[time] Det, der er begrænset, havde ikke mere plads. Tallene kan være grænsens og ikke systemets.
    }
    .do = Find ud af, om grænsen er ment sådan. Hæv den, eller sænk belastningen, til der er plads, og gentag kørslen.
finding-GC-STORM =
    .seen = I { $scope } stod { $instance } stille for oprydning af hukommelsen (garbage collection) i { $share } af { $hold }, i det værste minut i { $worst } af det. { $full_n ->
        [0] Ingen af oprydningerne var fuldstændig
        [one] Én af oprydningerne var fuldstændig
       *[other] { $full } af oprydningerne var fuldstændige, { $per_minute } i minuttet
    }{ $sibling ->
        [none] .
       *[other] ; en instans af samme slags havde { $sibling }.
    }
    .means = Mens en heap ryddes op, besvares intet, og en heap, der ryddes op igen og igen, vinder kun lidt hver gang. Svartiderne er til dels oprydningens.
    .do = Se i fundet HEAP, hvad oprydninger efterlader. Ligger det nær maksimum, så giv { $instance } mere heap, eller find det, der fylder den; ellers laver den mere affald, end dens unge generation er beregnet til.
finding-HEAP =
    .seen = I { $scope } blev heapen for { $instance } { $shape ->
        [none] ikke ryddet op en eneste gang i { $hold }; forbruget gik fra { $first } til { $last }.
        [few] ryddet op { $collections_n ->
            [one] én gang
           *[other] { $collections } gange
        } i { $hold }, for sjældent til at sige, hvor bunden går hen; tilbage var først { $first } og til sidst { $last }.
        [returns] ryddet op { $collections } gange i { $hold }, med { $height } i midten, og kom hver gang tilbage til sin bund: { $first } i den første tredjedel, { $last } i den sidste.
        [rises] ryddet op { $collections } gange i { $hold }, med { $height } i midten, og kom ikke tilbage til sin bund: { $first } i den første tredjedel, { $last } i den sidste.
       *[unclear] ryddet op { $collections } gange i { $hold }, med { $height } i midten; det efterladte gik fra { $first } i den første tredjedel til { $last } i den sidste.
    }{ $reached ->
        [none] { "" }
       *[other] { " " }Højst { $reached } af maksimum var tilbage efter en oprydning.
    }{ $peak ->
        [none] { "" }
       *[other] { " " }Højst { $peak } af det var i brug.
    }
    .means = { $shape ->
        [none] Uden oprydning kan affald ikke skelnes fra det, der beholdes: hverken et læk eller fraværet af det kan ses.
        [few] Der skal flere oprydninger til, før der kan siges noget om en bund.
        [returns] En savtak, der kommer tilbage til sin bund: det, der smides væk, ryddes op, og intet bliver liggende, som ville kunne ses i denne tid.
        [rises] Der er mere tilbage efter hver oprydning end før. { $old_n ->
            [0] Den gamle generation blev ikke ryddet op i denne tid, så det, der venter i den, kan stadig være affald.
           *[other] Fundet LEAK, hvis det er der, siger hvor meget.
        }
       *[unclear] Bunden bevæger sig så meget, at denne kørsel ikke kan sige, om den stiger.
    }
    .do = { $shape ->
        [returns] Intet; et længere forløb ville vise et langsommere læk.
       *[other] Hold belastningen, til den gamle generation er ryddet op en snes gange: længere, eller med en mindre heap.
    }
finding-DROP =
    .seen = I { $scope } faldt { $figure ->
        [calls] throughput
       *[watched] hastigheden af { $exchange }
    } { $at } efter begyndelsen (mellem { $at_low } og { $at_high }), efter { $count } { $figure ->
        [calls] kald
       *[watched] talt
    } (mellem { $count_low } og { $count_high }), fra { $before } til { $after } og blev på det niveau{ $others_n ->
        [0] .
        [one] ; det gjorde én anden hastighed også.
       *[other] ; det gjorde { $others } andre hastigheder også.
    }{ $shape ->
        [decline] { " " }Den sank langsomt: grænserne er faldets egne.
       *[step] { "" }
    }
    .means = Fra da af blev der udført mindre end før. Mængde og tid er blandet sammen i én kørsel: den kan ikke vise, hvilken af dem der er årsagen.
    .do = Gentag kørslen i et andet tempo: kommer faldet efter det samme antal, tæller mængden; efter lige så lang tid, tæller tiden. Læs logfilerne omkring det tidspunkt.
finding-STALL =
    .seen = I { $scope } { $figure ->
        [times] var kald langsomme
        [throughput] faldt throughput
       *[watched] stod { $exchange } stille
    } { $every ->
        [none] igen og igen, uden fast rytme
       *[other] hver { $every }
    } i omkring { $lasts } { $figure ->
        [times] (i gennemsnit { $during } i stedet for { $usual }); { $affected } af kaldene blev ramt
       *[throughput] (til { $during } fra { $usual }); { $affected } af det, der ellers var udført, gik tabt
    }. Set { $repeats } gange, { $duty } af tiden{ $others_n ->
        [0] .
        [one] , og i én anden hastighed.
       *[other] , og i { $others } andre hastigheder.
    } { $with ->
        [none] Intet af det overvågede har samme rytme.
       *[other] På de samme tidspunkter: { $with }.
    }{ $working ->
        [none] { "" }
       *[other] { " " }To hastigheder, som ikke må blandes: { $mean } i gennemsnit over hele tiden og { $working } mellem standsningerne ({ $working_low } til { $working_high }), målt i { $working_part } af tiden.
    }
    .means = Noget standser systemet igen og igen. De høje percentiler kommer fra disse øjeblikke; gennemsnittet skjuler dem.
    .do = { $every ->
        [none] Led efter, hvad der sker på disse tidspunkter: flush, sammenfletning, checkpoint, oprydning. Sammenhold dets log med standsningerne.
       *[other] Led efter, hvad der kører hver { $every }: en flush, et checkpoint, en oprydning, et planlagt job. Sammenhold dets log med tidspunkterne for de langsomme kald.
    }
finding-DRIFT =
    .seen = I { $scope } { $shape ->
        [shift] skiftede { $subject } { $at } efter begyndelsen
       *[drift] gled { $subject } over { $at }
    } fra { $before } til { $after } { $figure ->
        [times] (gennemsnitlig tid)
       *[series] (overvåget)
    }{ $others_n ->
        [0] .
        [one] , sammen med én anden.
       *[other] , sammen med { $others } andre.
    }
    .means = { $figure ->
        [times] { $direction ->
            [up] Under konstant belastning blev kald langsommere. Tal for hele perioden blander to tilstande.
           *[down] Under konstant belastning blev kald hurtigere: begyndelsen var stadig opvarmning.
        }
       *[series] Belastningen var konstant, dette var ikke. Tal for hele perioden blander to tilstande.
    }
    .do = { $direction ->
        [up] Hold belastningen længere for at se, hvor det ender, og se på, hvad der vokser imens: data, køer, forbindelser.
       *[down] Gør opvarmningen længere, eller vurdér den sidste del.
    }
finding-SPIKE =
    .seen = I { $scope } steg { $subject } til { $greatest } mod normalt { $usual }, { $at } efter at belastningen begyndte, i { $lasted } { $number_n ->
        [one] (én gang)
       *[other] (den største af { $number } udsving)
    }{ $others_n ->
        [0] .
        [one] , sammen med én anden.
       *[other] , sammen med { $others } andre.
    }
    .means = { $place ->
        [start] Et udsving ved starten: det, der gøres én gang, når belastningen kommer, såsom at fylde puljer og caches.
       *[during] En undtagelse undervejs. Den er for sjælden til en rytme og er en del af tallene.
    }
    .do = Læs logfilerne for det tidspunkt. Kommer det i hver kørsel samme sted, hører det til systemet; ellers gentag kørslen.
finding-SKEW =
    .seen = I { $scope } delte replikaerne af { $group } ikke ligeligt: { $series } for { $high } var { $greatest }, for { $low } { $least }; den største ligger { $off } over gennemsnittet.
    .means = Belastningen er ujævnt fordelt, eller én replika arbejder hårdere for det samme. Den travleste sætter grænsen for alle.
    .do = Sammenlign antallet af kald for hver replika: er de forskellige, så se på fordelingen; ellers på replikaen selv.
finding-NO-RETURN =
    .seen = Efter { $scope } var { $series } for { $instance } { $value }, da overvågningen sluttede, { $watched } efter belastningen; før belastningen var det { $baseline }{ $others_n ->
        [0] .
        [one] . Én anden var heller ikke kommet tilbage.
       *[other] . { $others } andre var heller ikke kommet tilbage.
    }
    .means = Noget fortsatte efter belastningen eller blev efterladt af den. Det, der kører derefter, begynder ikke fra hvile.
    .do = Overvåg længere efter belastningen (»recovery«), og se, hvad { $instance } stadig laver.
finding-STILL-BUSY =
    .seen = I { $scope } gjaldt »{ $rule }« endnu ikke, da den længste ventetid på { $most } var gået: { $standing ->
        [backwards] tælleren, der afslutter { $series }, gik baglæns, mens noget endnu var udestående, så det vides ikke, hvad der var færdigt
        [drained] { $series } lå på { $value } og regnes for tom ved { $high }
        [settled] { $series } lå på { $value }, og hvileniveauet ligger mellem { $low } og { $high }
        [unsteady] { $series } holdt sig ikke mellem { $low } og { $high } i ti sekunder
        [unseen] { $series } blev målt for sjældent til at afgøre det
       *[held] først derefter gjaldt den
    }{ $left_n ->
        [0] .
        [one] . Én iteration var stadig åben og blev afbrudt.
       *[other] . { $left } iterationer var stadig åbne og blev afbrudt.
    }
    .means = { $standing ->
        [backwards] { $left_n ->
            [0] En tæller, der går baglæns, har mistet noget af det, den havde talt. Det vides derfor ikke, om systemet var færdigt med det, det havde taget imod.
           *[other] Systemet var ikke færdigt med sit arbejde: der var stadig åbne iterationer. En tæller, der går baglæns, har mistet noget af det, den havde talt, så hvad der ellers var udestående, vides ikke.
        }
        [unseen] { $left_n ->
            [0] Det vides ikke, om systemet var færdigt med sit arbejde og i hvile.
           *[other] Systemet var ikke færdigt med sit arbejde: der var stadig åbne iterationer. Hvad der ellers var udestående, vides ikke.
        }
       *[other] { $wait ->
            [idle] Belastningen begyndte, før systemet var faldet til ro. Hvileniveauet er derfor niveauet for et system, der stadig arbejdede.
            [drain] Belastningen efterlod arbejde, der ikke blev færdigt. Systemet tog imod mere, end det blev færdigt med, og kan derfor ikke holde belastningens hastighed i længden.
            [recovery] Systemet arbejdede stadig længe efter belastningen. Det, der kørte derefter, begyndte ikke fra hvile.
           *[gap] Den næste belastning begyndte, før systemet var faldet til ro. Det kan ses i dens tal.
        }
    }
    .do = { $standing ->
        [backwards] Find ud af, hvad der satte tælleren tilbage, for eksempel en genstart eller slettede rækker, og gentag kørslen.
        [unseen] Se, hvorfor { $series } ikke blev målt (dens monitor og kørslens hændelser), og gentag kørslen.
       *[other] Vent længere (»at_most«), og se, hvad der holdt systemet i gang.
    }
finding-STATE =
    .seen = { $scope } begyndte med { $series } for { $instance } på { $now }, { $change } mere end { $first } ({ $before }).
    .means = Senere perioder begyndte med flere data end den første. En del af forskellen skyldes sandsynligvis rækkefølgen.
    .do = Genopret data mellem perioderne, eller kør dem også i en anden rækkefølge.
finding-IDLE-MEMBERS =
    .seen = I { $scope } havde { $idle } af { $members } medlemmer af den gruppe, som { $series } overvåger, ingen partition ved nogen måling. Der er { $partitions } partitioner, og { $busiest } havde { $share } af dem.
    .means = En partition læses kun af ét medlem af en gruppe. Disse medlemmer lavede altså intet, og værterne deler arbejdet så ujævnt, som partitionerne ligger.
    .do = { $hosts_n ->
        [one] Start ikke flere medlemmer, end der er partitioner: { $each }.
       *[other] Start ikke flere medlemmer, end der er partitioner: { $each } på hver af de { $hosts } værter.
    }
finding-IDLE =
    .seen = Før { $scope } var { $series } for { $instance } på { $baseline }, målt over { $seconds } uden belastning; under belastning var det { $load }.
    .means = Forskellen er, hvad belastningen koster; det første tal er der også uden.
    .do = Der er intet at gøre; brug dette hvileniveau, når kørsler sammenlignes.
finding-NO-ANSWER =
    .seen = I { $scope } lykkedes { $started_n ->
        [one] det eneste kald af { $exchange } ikke.
       *[other] intet af { $started } kald af { $exchange }.
    }
    .means = Denne del af systemet virkede ikke under testen; andet om den kan ikke vurderes.
    .do = Udfør { $exchange } én gang i hånden, læs dens fejl i kapitlet om scenariet, og gentag kørslen, når den virker.
finding-REPLIES =
    .seen = Af { $scope } kom { $right } svar til tiden og rigtigt; { $missing } manglede, hvoraf højst { $after_all } kom alligevel{ $again_n ->
        [0] { "" }
       *[other] { " " }(yderligere sene svar på de samme beskeder: { $again })
    }, { $wrong } var forkerte, og { $duplicate } kom to gange.{ $streams ->
        [none] { "" }
       *[other] { " " }Mest gik galt i: { $streams }.
    }
    .means = En modtaget besked er først færdig, når svaret er kommet. Det, der mangler her, blev modtaget alligevel.
    .do = Følg nogle af disse beskeder gennem systemets egne optegnelser: modtaget, gemt, besvaret, sendt.
finding-EVENTS =
    .seen = Af { $scope } kom { $right } af { $planned } planlagte beskeder og var rigtige; { $missing } kom ikke til tiden, { $connectionless } havde ingen forbindelse at komme på, { $wrong } var forkerte, og { $duplicate } kom to gange.
    .means = Hver af dem hørte til en forbindelse, der skulle have været åben. Det, der ikke har nogen forbindelse, mangler lige så meget som det, der går tabt undervejs.
    .do = Hold dem op mod afviste åbninger og tabte forbindelser; det, der mangler på en forbindelse, som stod, gik tabt i systemet eller undervejs.
finding-REFUSED =
    .seen = I { $scope } afviste den anden side { $refused } af { $started } beskeder, efter at deres sidste etape var lukket; { $taken } af deres iterationer var da lykkedes og tælles som mislykkede.
    .means = Disse beskeder blev modtaget og derefter ikke behandlet. Tiderne for deres etaper står, som de blev målt: det er tider for modtagelsen.
    .do = Læs eksemplerne på fejl for { $exchange }: de rummer, hvad den anden side sagde.
finding-UNCLAIMED =
    .seen = Lytteren { $listener } modtog forespørgsler, der ikke lukkede nogen etape: { $ours } nævnte en besked fra denne kørsel, og ingen ventede på dem, { $too_late } kom, efter at deres scenarie var slut, { $unknown } nævnte ingen besked fra denne kørsel, { $unreadable } kunne ikke læses, { $nobodys } var ikke til nogen driver. Den første: »{ $example }«.
    .means = Systemet sendte noget, som studiet ikke tager højde for. Det, der nævner en besked fra denne kørsel, kan ændre, hvordan det gik den besked.
    .do = Se på eksemplerne blandt kørslens hændelser, og lad enten studiet vente på det, de er, eller find ud af, hvem der sender dem.
finding-SHAPE =
    .seen = Tiderne for { $scope } har { $modes } { $modes_n ->
        [one] top
       *[other] toppe
    }; p99 er { $tail } gange medianen, den længste tid { $extreme } gange p99, og { $stalled_n ->
        [0] ikke i noget sekund
       *[other] i { $stalled } af sekunderne
    } tog kald mere end tre gange så lang tid som normalt.
    .means = { $shape ->
        [plain] Ingen af disse tal ligger ud over sin grænse: hverken toppene, halen eller pauserne.
       *[uneven] Et gennemsnit eller en median beskriver sådanne tider dårligt. Flere toppe tyder på flere veje gennem systemet, en lang hale eller pauser på kald, der ventede på noget.
    }
    .do = { $shape ->
        [plain] Intet følger af disse tal; selve fordelingen står ved resultaterne.
       *[uneven] Se fordelingen og tiderne over kørslen side om side, og find det, de langsomme kald har til fælles.
    }
finding-UNEXPLAINED =
    .seen = I { $scope } tog kald { $to } i gennemsnit, i { $other } { $from }. Intet af det, der blev overvåget, var travlt, fuldt eller i kø.
    .means = Systemet blev mættet af noget, som ikke blev overvåget. Mere hardware af den slags, der blev overvåget, ville ikke hjælpe.
    .do = Overvåg puljer, låse, køer og commits samt det, systemet kalder, og gentag kørslen.
finding-ARITH =
    .seen = Teksten ved { $scope } siger { $sum } = { $stated }; regnet ud er det { $computed }.
    .means = Det, forfatteren bygger på dette tal, hviler på en regnefejl, og ingen måling kan rette det.
    .do = Ret regnestykket, eller lad det regne ud: »capacity« har mængder og forhold, der trykkes, som de er beregnet.
finding-COPY-TWIN =
    .seen = { $scope } og { $other } har de samme tal til sidste ciffer, med et gennemsnit på { $mean }.
    .means = To målinger stemmer aldrig sådan overens. Den ene er højst sandsynligt en kopi af den anden.
    .do = Find ud af, hvilken af de to der er målt, og udelad den anden.
finding-FLAT-R =
    .seen = Fra { $from } til { $to } tog en iteration af { $scope } i gennemsnit { $mean } ved enhver belastning, med en spredning på { $spread } og uden tendens.
    .means = Der opstod ingen kø i det afprøvede område. Grænsen ligger over den højeste belastning; hvor langt vides ikke.
    .do = Afprøv højere belastninger, hvis der spørges om grænsen.
finding-GRID-DIP =
    .seen = Med { $variable } på { $low } ({ $scope }) gik { $low_share } af det planlagte galt, men ved den større værdi { $high } ({ $where }) kun { $high_share }, og deres intervaller rører ikke hinanden.
    .means = Fejl vokser ikke blot med { $variable }: noget andet var forskelligt mellem de to, og én måling af hver siger ikke hvad.
    .do = Gentag begge kombinationer.
finding-INVENTORY-MEMORY =
    .seen = I den opgivne fortegnelse har { $row } en heap på { $xmx } og et metaspace på { $metaspace }, med en hukommelse på { $memory }.
    .means = Processen kan blive standset af sin egen grænse, før dens heap er fuld, eller tabellen er forkert.
    .do = Sammenlign med den kørende proces, og ret tabellen eller indstillingerne.
finding-INVENTORY-RESERVATION =
    .seen = I den opgivne fortegnelse reserverer { $row } { $reservation } af en hukommelse på { $memory }.
    .means = Der kan ikke reserveres mere, end der er: et af de to tal er forkert.
    .do = Sammenlign med den kørende proces, og ret tabellen.
finding-INVENTORY-SHIFTED =
    .seen = I den opgivne fortegnelse har { $row } { $value } under { $column }, hvor { $usual } er det sædvanlige; { $same ->
        [none] ingen anden kolonne i rækken har det
       *[other] { $same } har det samme tal
    }.
    .means = Tallet ser ud, som om det hørte hjemme i en anden kolonne.
    .do = Sammenlign med den kørende proces, og ret tabellen, eller skriv, hvorfor denne del afviger.
finding-INVENTORY-TEXT =
    .seen = I den opgivne fortegnelse har { $row } teksten { $cell } under { $column }, en kolonne med tal.
    .means = Der kan ikke regnes med denne celle, og en læser kan ikke se, hvad der gælder nu.
    .do = Skriv det tal, der gælder, og bemærkninger i en kolonne for sig.
finding-INVENTORY-TWIN =
    .seen = I den opgivne fortegnelse har { $row } og { $other } de samme værdier hele vejen.
    .means = Forskellige dele er sjældent ens i alt. Den ene række kan være en kopi af den anden.
    .do = Sammenlign begge med de kørende processer.
finding-INVENTORY-UNITS =
    .seen = I den opgivne fortegnelse har tallene under { $column } flere enheder: { $units }.
    .means = Tal, der står under hinanden, læses som sammenlignelige, og det er disse ikke.
    .do = Skriv den samme enhed hele vejen, helst i kolonnens hoved.
finding-NONMONO =
    .seen = Ved en belastning på { $failed } ({ $scope }) blev et krav ikke overholdt, og ved den højere belastning på { $held } ({ $where }) blev alle det.
    .means = En forstyrrelse, eller en grænse, der ikke vokser med belastningen. Kapaciteten lægges under den lavere belastning, til det er afklaret.
    .do = Gentag { $scope }.
finding-NOT-REACHED =
    .seen = { $loads } belastninger blev prøvet, og ingen fejlede; den højeste, { $load } i { $scope }, gav et throughput på { $throughput }.
    .means = Grænsen blev ikke nået: kapaciteten er mindst dette, en nedre grænse.
    .do = Afprøv en højere belastning, hvis der spørges om grænsen.
finding-RATIO =
    .seen = Teksten ved { $scope } siger »{ $words }«, en faktor { $stated }; de to tal giver { $computed }.
    .means = En faktor, der ikke følger af sine egne to tal, hører måske til et andet par, og ingen kan se hvilket.
    .do = Nævn begge tal, og ret faktoren, eller lad den regne ud: »capacity« har forhold, der nævner begge deres operander.
finding-REGIME =
    .seen = Mellem belastningerne i { $scope } { $kind ->
        [instance] faldt instansen { $what } ud eller blev genstartet
        [configuration] kørte systemet med forskellige værdier af { $what }
       *[errors] begynder fejl af klassen { $what } ved én belastning og mangler ved andre
    }.
    .means = Disse belastninger er ikke målt på det samme system. Der må ikke lægges en kurve gennem dem eller læses en vækst fra den ene til den anden.
    .do = Gentag belastningerne på den ene side af ændringen.
finding-SIGNIFICANT =
    .seen = { $statistic } for { $other } ligger { $direction ->
        [down] lavere
       *[up] højere
    } end for { $base }: { $change }{ $kind ->
        [points] { " " }(som forskel mellem andele)
       *[ratio] { "" }
    }, interval { $low } til { $high }.
    .means = Hele intervallet ligger uden for båndet, så tilfældigheder inden for kørslerne forklarer det ikke.
    .do = Se først på, hvori de to sider afviger, før en årsag nævnes; sammenligningen oplister det.
finding-NO-BASE =
    .seen = { $other } blev sammenlignet med { $base } med én kørsel på hver side.
    .means = Hvor meget to ens kørsler afviger her, vides ikke, så intervallerne rummer det, som disse to kørsler viste, og ikke mere.
    .do = Gentag begge sider på skift: »repeat: 2« eller flere. Fra fire gentagelser på hver side forudsætter sammenligningen intet om deres spredning.
finding-ROUNDING =
    .seen = Ændringen i { $statistic } ligger alene ved cifrene i de to værdier mellem { $low } og { $high }.
    .means = Én procentsats ville være finere end de værdier, den er lavet af.
    .do = Angiv intervallet eller de to værdier.
finding-UNIT =
    .seen = Teksten ved { $scope } siger { $first } = { $second }; omregnet er det første { $computed }{ $unit }.
    .means = Det ene af de to er ikke det, der var ment: en faktor, eller det, som enheden tæller, gik tabt undervejs.
    .do = Ret tallet eller enheden, og sig, hvad der tælles: forespørgsler af én slags, af alle slags eller iterationer.
finding-UNUSED =
    .seen = Antagelsen { $name } = { $value } er opgivet, og intet bruger den.
    .means = Det, der ellers siges om den, er ikke beregnet ud fra den.
    .do = Brug den som variabel i en belastning eller en mængde, eller fjern den.
finding-WARM-UP =
    .seen = { $scope } var ikke stabil fra begyndelsen, efter en opvarmning på { $declared }. { $shape ->
        [settles] Uden de første { $cut } er { $figure ->
            [times] den gennemsnitlige tid
           *[throughput] throughput
        } for { $exchange } { $after }; over hele perioden er tallet { $before }, så begyndelsen flytter det med { $moved }
       *[never] Der kom ikke ro på i den første halvdel ({ $cut }): over den sidste halvdel er { $figure ->
            [times] den gennemsnitlige tid
           *[throughput] throughput
        } for { $exchange } { $after }, over hele perioden { $before }, en afvigelse på { $moved }
    }{ $others_n ->
        [0] .
        [one] ; én anden udveksling var heller ikke stabil.
       *[other] ; { $others } andre udvekslinger var heller ikke stabile.
    }
    .means = Intet er skåret væk: hvert tal for denne periode indeholder begyndelsen og fortæller dermed også om opvarmningen.
    .do = { $typed ->
        [none] Hold belastningen længere, og vurdér den sidste del (»last … of hold«).
       *[other] Skriv »{ $typed }« i denne belastning, og gentag kørslen, eller vurdér den sidste del af perioden.
    }

## Capacity

capacity-title = Kapacitet
capacity-intro = Kapacitet er et interval: den højeste belastning, der holdt, og den laveste, der ikke gjorde. En belastning holder, når alle skal-krav blev overholdt, og generatoren ikke kan være årsagen. Hvor ingen belastning fejlede, er der kun en nedre grænse.
capacity-users = { $users } { $users_n ->
    [one] bruger
   *[other] brugere
}
capacity-between = { $scenarios }: kapaciteten ligger mellem { $held }, som holdt med et throughput på { $throughput }, og { $failed }, som ikke holdt.
capacity-at-least = { $scenarios }: kapaciteten er mindst { $held }, med et throughput på { $throughput }. Der blev ikke prøvet nogen højere belastning, som fejlede, så dette er en nedre grænse.
capacity-below = { $scenarios }: kapaciteten ligger under { $failed }. Ingen belastning holdt.
capacity-nothing = { $scenarios }: ikke én iteration lykkedes ved nogen belastning, så denne kørsel siger intet om kapaciteten. Find først ud af, hvorfor kaldene fejlede.
capacity-unknown = { $scenarios }: det er ikke vist for nogen belastning, at den holdt eller fejlede, så intet kan siges om kapaciteten.
capacity-law = Kurven bøjer: konkurrence { $sigma }, kohærens { $kappa }, og efter Universal Scalability Law et toppunkt ved { $peak } brugere. Loven er en note til kurven, ikke en kapacitet.
capacity-knee = Over { $load } giver yderligere belastning tydeligt mindre ekstra throughput end før (Kneedle; en note).
held-yes = holdt
held-no = holdt ikke
held-unknown = kan ikke afgøres
table-levels = Belastninger, der blev prøvet: { $scenarios }
note-levels = Tiden for en iteration er gennemsnittet af dem, der lykkedes, uden tænketid. »Kan ikke afgøres« står, hvor der intet skal-krav er, hvor en afgørelse er åben, eller hvor generatoren kan være årsagen.
col-tried = Belastning
col-iteration-time = Tid for en iteration
col-held = Holdt
ladder-title = Hvad der begrænsede hvert scenarie
ladder-intro = Mulighederne gennemgås oppefra, fordi det, der står øverst, kan forklare det, der står nedenunder. To samstemmende signaler gør en begrænsning sandsynlig, ét gør den mulig. Et signal beviser ingen årsag.
ladder-none = { $scope } ved { $load }: der blev ikke observeret nogen grænse.
ladder-invalid = { $scope } ved { $load }: målingen er ugyldig, så der kan intet siges om en grænse.
ladder-observed = { $scope } ved { $load }: { $state ->
    [likely] sandsynligvis
   *[possible] muligvis
} begrænset af { $rung } ({ $signals }).
ladder-others = { $signal }, og tilsvarende for { $others_n ->
    [one] én anden instans
   *[other] { $others } andre instanser
}
ladder-rung = { $rung ->
    [generator] belastningsgeneratoren
    [instance_down] en instans, der faldt ud
    [ceiling] et fast loft
    [resource] en mættet ressource
    [software] selve softwaren
   *[downstream] et bagvedliggende system
}
ladder-state = { $state ->
    [likely] sandsynlig
    [possible] mulig
    [not_observed] ikke observeret
   *[not_watched] ikke overvåget
}
ladder-signal = { $signal ->
    [at_ceiling] { $metric } for { $instance } stod på { $share } af sit loft i { $time } af tiden
    [behind] af { $offered } tilbudte blev kun { $ended } fuldført, fejlede medregnet
    [connections_bound] alle { $bound } forbindelser i studiets grænse var i brug i { $time } af tiden
    [failures] { $share } af iterationerne fejlede
    [generator_sign] { $sign } lå ud over sin tærskel
    [instance_lost] { $instance } { $kind ->
        [gone] faldt ud
       *[restart] blev genstartet
    }
    [piled_up] antallet undervejs voksede fra { $from } til { $to } i løbet af plateauet
    [queue_grew] { $metric } for { $instance } voksede fra { $from } til { $to }, mere end belastningen
    [refused] { $share } af kaldene blev afvist eller afbrudt
    [run_queue] { $queue } opgaver var klar til at køre på { $cores } kerner
    [saturated] { $metric } for { $instance } lå på { $utilisation }
    [slower] en iteration tog { $to } mod { $from } ved den laveste belastning
    [throughput_flat] ved { $load } gange belastningen gik throughput kun fra { $from } til { $to }
   *[wait_grew] { $metric } for { $instance } voksede fra { $from } til { $to }
}
table-ladder = Stigen for hvert scenarie ved dets højeste belastning
note-ladder = »Ikke overvåget« betyder, at ingen monitor i dette studie kunne have vist det. Softwaren undersøges, hvor intet af det overvågede var mere end 70 % optaget.
col-rung = Mulig begrænsning
col-evidence = Belæg
ladder-no-resources = Der blev ikke overvåget brug af processorer eller diske, så intet kan siges om ressourcer.
table-resources = Ressourcer ved den højeste belastning i hvert scenarie, de mest optagne først
note-resources = En process' processortid er en andel af alle maskinens kerner. Behovet er det, én iteration tager af én kerne eller disk. Den sidste kolonne er det throughput, hvor ressourcen ville nå 90 %, hvis behovet forbliver det samme; den lover ikke, at dette throughput kan nås.
col-resource = Ressource
col-use-demand = En iterations behov
col-at-limit = Ved 90 %
resource-one-load = fra en eller to belastninger; brug i tomgang tælles med som behov
healthiest-title = Det sundeste trin
healthiest-intro = Det sundeste trin er det med det højeste throughput blandt dem, der bestod alt: hvad der kræves af det, ikke flere fejl end tilladt, alle replikaer i live, luft på processoren, hukommelse, der ikke vokser, intet, der bliver tilbage, en gyldig måling og intet, der kræver en forklaring. Hvad der ikke kunne vises, tæller som ikke bestået.
healthiest-asked = Krævet af hvert trin: { $needs }.
healthiest-asked-nothing = Der gælder intet krav for disse trin, så kun de andre betingelser er undersøgt.
healthiest-is = { $name }: { $steps_n ->
    [one] det eneste trin bestod alt, { $step }
   *[other] det sundeste af { $steps } trin er { $step }
}, ved { $load }, med { $rate }.
healthiest-none = { $name }: { $steps_n ->
    [one] det eneste trin bestod ikke alt
   *[other] ingen af de { $steps } trin bestod alt
}, så der er intet at regne videre på.
healthiest-figures = Af det planlagte fejlede { $failed }; p95 for den langsomste udveksling var { $p95 }; den travleste processor lå på { $processor }.
healthiest-unknown = ikke kendt
healthiest-once = Trinet er udført én gang, og det viser ikke, hvor ofte det ville bestå. Gentag det, før du lover en kapacitet.
healthiest-sure = Det bestod i { $passed } af { $passed } gentagelser. Med en konfidens på { $confidence } (Clopper–Pearson, ensidet) ville det bestå i mindst { $share } af dem.
healthiest-unseen = { $unseen ->
    [earlier] Forsøg, som en tidligere kørsel har udført, er ikke blandt disse trin; kapitlet om søgningen har dem.
    [memory] Ingen hukommelse blev overvåget, så en vækst i den kunne ikke være set.
    [memory_short] Trinet var for kort til at vise en vækst i hukommelsen.
    [processor] Ingen af systemets processorer blev overvåget, så intet vides om luften på dem.
   *[trial] Dette var en prøve: de forkortede trin viser hverken tendenser eller mængder.
}
healthiest-lost = { $reason ->
    [anomaly] noget i trinet kræver en forklaring: { $finding } ({ $rule })
    [backlog] der kom mere, end der blev besvaret, gennem hele trinet: { $finding }
    [broken] { $requirement } er ikke opfyldt
    [cut_short] kørslen sluttede, før alt var optaget
    [degraded] en replika manglede eller blev genstartet: { $instance }
    [failed] { $share } af det planlagte fejlede eller blev aldrig sendt, mere end { $limit }
    [invalid] målingen er ikke gyldig: { $sign }
    [lower] bestod, men med mindre end { $best }
    [memory] hukommelsen voksede eller lå ved sin grænse: { $finding } ({ $rule })
    [no_rate] hastigheden kunne ikke måles
    [not_met] { $requirement } er ikke opfyldt: { $value }, grænseværdi { $limit }
    [nothing_ok] intet lykkedes
    [processor] ingen luft: { $metric } for { $instance } lå på { $share }; fra { $limit } er der ingen
    [undrained] { $ended } af { $offered } tilbudte blev besvaret, og { $left } iterationer blev tilbage
   *[unproven] det kan ikke afgøres, om { $requirement } er opfyldt
}
healthiest-lost-in = { $why } (i { $count } af { $all } gentagelser)
healthiest-best = det sundeste
table-healthiest = Trin i { $name }, og hvorfor hvert af dem ikke er det sundeste
healthiest-col-processor = Travleste processor
healthiest-col-passed = Bestået
healthiest-passed = { $passed } af { $all }
healthiest-col-why = Hvorfor ikke dette
note-healthiest = »Bestået« siger, i hvor mange af sine gentagelser intet talte mod et trin. Throughput er gennemsnittet over gentagelserne, med et 95 %-interval, hvor der var flere.
summary-healthiest-none = { $name }: intet trin bestod alt det, der gør det sundt.
summary-volume = { $name }: { $volume }, beregnet som { $expression }.
volumes-title = Mængder og forhold
volumes-intro = Hver mængde er beregnet af det udtryk, der står ved siden af, med hastigheden som den er trykt. Timer, dage og spidsfaktor er forfatterens; hvad et år bringer, er ikke målt her.
volume-refused = afvist
volume-upper-bound = en øvre grænse: der antages en jævn belastning døgnet rundt
volume-as-stated = ved de opgivne timer og dage
capacity-refused = { $reason ->
    [cannot_tell] Det kan ikke afgøres, om kravet { $requirement } overholdes ved denne hastighed.
    [cut_short] Kørslen sluttede, før hele vinduet var set.
    [degraded] Vinduet er ikke gyldigt: { $sign } ({ $where }).
    [drained_late] Det, denne belastning efterlod, var først færdigt { $drain } efter den: over belastning ({ $load }) og tømning tilsammen er hastigheden { $rate }, og mere kan ikke holdes i længden.
    [earlier] De første forsøg i { $scenario } blev udført i en tidligere kørsel, og et sundere kan være iblandt dem.
    [no_healthiest] Intet trin i { $scenario } bestod alt, så der er intet at regne videre på.
    [no_value] Hastigheden kunne ikke måles.
    [not_met] Kravet { $requirement } overholdes ikke ved denne hastighed, så den kan ikke fortsætte.
    [still_busy] Da tømningen var slut, gjaldt »{ $rule }« ikke: det, belastningen havde efterladt, var ikke færdigt.
    [trial] Dette var en prøve; dens forkortede vinduer bærer ingen mængde.
   *[undrained] { $ended } af { $offered } tilbudte blev besvaret, og { $left } iterationer blev tilbage: ikke alt, hvad der kom, blev behandlet.
}
table-volumes = Mængder
note-volumes = Intervallet er hastighedens i denne kørsel. Cifrene står ved siden af ordet, fordi en billion ikke er det samme tal på alle sprog.
table-ratios = Forhold
col-rate = Hastighed, og hvor
col-expression = Udtryk
col-volume = Mængde
col-remark = Bemærkning
col-operands = Operander
label-not-held = holdt ikke
label-offered = tilbudt
fig-capacity-caption = Throughput mod belastning: { $scenarios }
fig-capacity-seen = Throughput gik fra { $from } ved { $low } til { $to } ved { $high }.
fig-capacity-means-between = Grænsen ligger mellem de to belastninger, der er nævnt ovenfor; hvad der ligger imellem, blev ikke prøvet.
fig-capacity-means-bound = Kurven blev ikke fulgt til ende: den sande kapacitet kan være langt højere.
fig-capacity-means-below = Selv den laveste belastning var for meget; der skal lavere belastninger til for at finde en, der holder.
fig-capacity-means-unknown = Kurven viser det opnåede throughput, ikke om det var godt nok: intet krav afgør det her.

## Exchanges, legs, streams

model-streams = { $streams_n ->
    [one] Én strøm starter dem, en række i datasættet { $set }.
   *[other] { $streams } strømme starter dem på skift, hver en række i datasættet { $set }.
}
exchanges-title = Udvekslinger
assumptions-title = Antagelser
assumptions-none = Studiet angiver ingen antagelse (»assume«).
sequence-title = En udvekslings forløb
sequence-steps = { $steps_n ->
    [one] For hver forespørgsel tager systemet dette trin, som studiet angiver det:
   *[other] For hver forespørgsel tager systemet disse { $steps } trin, som studiet angiver dem:
}
sequence-lab = belastningsgenerator
sequence-system = systemet under test
sequence-request = forespørgsel, fra den planlagte start
sequence-work = Hvad systemet gør
sequence-here = svar på samme forbindelse
sequence-matched = senere, på sin egen forbindelse
sequence-matched-within = senere, på sin egen forbindelse, inden for { $limit }
sequence-listener = lytter { $name }
sequence-listeners = generatorens lytter
sequence-listener-is = generatorens
fig-sequence-what = Forløb af { $exchange }, fra planen
fig-sequence-finds = { $exchange } har { $legs } etaper på én forbindelse
fig-sequence-finds-later = { $exchange } har { $legs } etaper; { $later_n ->
    [one] én kommer senere, ad en anden vej
   *[other] { $later } kommer senere, ad en anden vej
}
fig-sequence-seen = Generatoren sender { $exchange } til systemet; { $legs } etaper følger: { $list }.
fig-sequence-means = Hver etape har sine egne tider og fejl.
fig-sequence-means-later = Svarets tid indeholder ikke det senere svar. Hver etape har sine egne tider og fejl, og alle tæller fra forespørgslens planlagte start.
fig-sequence-reading = Tiden løber nedad og er ikke i skala. Den fuldt optrukne er forespørgslen, stiplet er det, der kommer tilbage. Arbejdet står ved siden af pilene, fordi planen ikke siger, efter hvilket trin svaret sendes.
features-title = Hvad der er afprøvet, og hvad der ikke er
features-intro = Drivere ved, hvad deres protokol kan, og siger, hvad studiets udvekslinger bruger af den. Om det, der ikke er afprøvet, siger intet tal i denne rapport noget.
exercised-yes = afprøvet
exercised-no = ikke afprøvet
table-features = Protokollens egenskaber
note-features = Som driverne angiver det, ud fra hver udvekslings indstillinger.
legs-title = Etaper og senere svar
legs-intro = En etape, der lukkes ved generatorens lytter, slutter, når svarets første byte er læst dér; svartiden tæller fra forespørgslens planlagte start.
legs-at-listeners = Generatorens lyttere modtog { $requests } { $requests_n ->
    [one] forespørgsel
   *[other] forespørgsler
}: { $handed } til en åben udveksling{ $too_late_n ->
    [0] { "" }
   *[other] , { $too_late } efter at deres scenarie var slut
}{ $unasked_n ->
    [0] { "" }
   *[other] , { $unasked } som nævnte en besked fra denne kørsel, og som ingen ventede på
}{ $unknown_n ->
    [0] { "" }
   *[other] , { $unknown } uden en tilhørende udveksling
}{ $unreadable_n ->
    [0] { "" }
   *[other] , { $unreadable } der ikke kunne læses
}{ $unclaimed_n ->
    [0] { "" }
   *[other] , { $unclaimed } til ingen driver
}.
legs-at-listeners-left = De aflæses én gang i sekundet; efter den sidste aflæsning kom { $left } { $left_n ->
    [one] svar
   *[other] svar
} til.
table-legs = Etaper i { $scenario }: hvad der blev startet, og hvad der blev af det
note-legs = Alle trin tilsammen. Det manglende kom ikke inden for sin tid; det for sene kom derefter, og dubletter kom igen: begge tælles for sig, da deres etape allerede er lukket. Det åbne er det, som slutningen af tømningen skar af.
streams-title = Strømme
streams-intro = Hver strøm er sin egen identitet, en række i datasættet { $set }, og er navngivet efter dens første kolonne.
table-streams = Strømme i { $scenario }
note-streams = Antal gælder alle trin, tider det, der lykkedes i den vurderede del.
fig-streams-what = Gennemsnitstider for { $what } pr. strøm, { $scenario }
fig-streams-finds = Den langsomste strøm, { $slowest }, tager { $factor } gange så lang tid som den hurtigste
fig-streams-seen = Af { $streams } strømme har { $fastest } det korteste gennemsnit, { $low }, og { $slowest } det længste, { $high }. { $failed_n ->
    [0] Intet kald mislykkedes i nogen strøm.
    [one] Ét kald mislykkedes.
   *[other] { $failed } kald mislykkedes, i { $with_failures } af strømmene.
}
fig-streams-means-uneven = Fra { $limit } gange betjenes strømmene ikke ens: et gennemsnit over alle beskriver ingen af dem, og de langsomme fortjener at blive undersøgt for sig.
fig-streams-means-even = De holder sig under { $limit } gange: ingen strøm betjenes på en andens bekostning.
fig-streams-reading = En række er en strøm, et felt { $width } af planlagte starter; jo mørkere, jo længere varede de vellykkede kald, efter faktorer. En orange prik er et felt med fejl. Til højre står gennemsnittet af den vurderede del.
fig-awaiting-what = Svar, der stadig blev ventet på, { $scenario }
fig-awaiting-finds = { $most_n ->
    [one] Højst ét svar blev ventet på ad gangen
   *[other] Højst { $most } svar blev ventet på ad gangen
}
fig-awaiting-seen = De fleste, { $most }, blev ventet på ved { $when }; da scenariet sluttede, var der { $left }.
fig-awaiting-means-grows = Over den vurderede del voksede det i gennemsnit fra { $begin } til { $end }: svarene kom langsommere, end forespørgslerne blev sendt, og ved denne belastning vokser efterslæbet.
fig-awaiting-means-rises = Over den vurderede del steg det i gennemsnit fra { $begin } til { $end }. Intet fund siger, at arbejdet hobede sig op, så det kan blive stående dér.
fig-awaiting-means-level = Det hobede sig ikke op, og til sidst var intet åbent: det modtagne blev besvaret eller talt som manglende.
fig-awaiting-means-left = Det hobede sig ikke op i den vurderede del; det, der var åbent til sidst ({ $left }), er talt som sådan og som intet andet.
fig-awaiting-reading = Det højeste i hvert sekund: forespørgsler, der er besvaret på deres egen forbindelse, og hvis senere etaper endnu ikke var kommet.
axis-awaited = Ventede svar
label-awaited = ventet
counted-title = Modtaget og færdigt
fig-counted-what = Modtaget og færdigt, { $what }, { $scenario }
fig-counted-finds-kept = Alt, hvad der var modtaget, var færdigt, da belastningen sluttede
fig-counted-finds-drained = Alt, hvad der var modtaget, var færdigt { $time } efter, at belastningen sluttede
fig-counted-finds-left = { $left_n ->
    [one] Én enhed var modtaget og ikke færdig ved den sidste aflæsning
   *[other] { $left } enheder var modtaget og ikke færdige ved den sidste aflæsning
}
fig-counted-finds-unseen = Tællingen blev ikke aflæst, efter at belastningen sluttede
fig-counted-seen = Ved den sidste aflæsning var { $accepted } modtaget og { $through } færdige. De fleste, der manglede, { $most }, var ved { $when }; den højeste alder, { $age }, var ved { $then }.
fig-counted-means-kept = Det modtagne blev gjort færdigt i det tempo, hvori det kom.
fig-counted-means-drained = Da belastningen sluttede, manglede noget af det modtagne endnu; at gøre det færdigt tog { $time }.
fig-counted-means-left = Det, der var tilbage ved den sidste aflæsning, venter endnu eller er tabt; en tælling siger ikke hvilket.
fig-counted-means-unseen = Om alt det modtagne blev færdigt, vides ikke. Giv scenariet en `drain` eller en `recovery`.
fig-counted-reading = Begge linjer er kumulative. Den lodrette afstand mellem dem er efterslæbet. Den vandrette afstand er alderen: hvor længe siden der var modtaget lige så mange enheder, som nu er færdige. Alderen er afledt; ingen enhed blev fulgt, og den er kun den ældstes, hvis enheder tages i den rækkefølge, hvori de kom.
axis-counted = Kumulativt: { $unit }
unit-calls-carried = kald
label-accepted = modtaget
label-through = færdigt
label-age = alder { $age } (afledt)
label-drained = intet tilbage efter { $time }
col-accepted = Modtaget
col-through = Færdigt
col-counted-backlog = Efterslæb
col-age = Alder (afledt)
in-short-title = På én linje
in-short-findings = Hvad der vedrører disse tal:
table-in-short = { $measure ->
    [service] Servicetider for { $scenario } i korte træk
   *[response] Svartider for { $scenario } i korte træk
}
note-in-short = Den vurderede del. Tider gælder vellykkede kald; fejlandelen er af alt, der var planlagt, hvad der end blev af det.
in-short-min = Den korteste tid for et vellykket kald i den vurderede del.
in-short-mean = Det aritmetiske gennemsnit af disse tider. Ligger det over percentilen, skyldes det nogle få meget langsomme kald.
in-short-max = Den længste tid for et vellykket kald.
in-short-p90 = Ni ud af ti vellykkede kald tog ikke længere tid (nearest rank). Intet kald udelades andre steder af den grund.
in-short-error = Andelen af planlagte kald, der ikke endte, som de skulle: mislykket, manglende, forkert eller aldrig startet.
table-in-short-words = Resultattabellernes kolonner
behaviour-load = Genereret belastning
behaviour-processor = Processor
behaviour-memory = Hukommelse
behaviour-rest = Øvrige serier og hændelser
behaviour-none = Ingen monitor i dette studie har overvåget det.
reconciliation-title = Afstemning
reconciliation-intro = Det sendte, modtagne, gemte og besvarede skal være samme antal. En forskel er et tab eller en dublet, og ingen succesrate dækker over den.
reconciliation-none = Intet krav i dette scenarie sætter antal lig med hinanden, så intet viser, at det modtagne også blev gemt.
table-reconciliation = Afstemte antal for { $scenario }
table-reconciliation-sums = Afstemte antal for { $scenario }, ens strømme samlet
note-reconciliation = Talt fuldt ud, over den tid som hver regel nævner. Hvor en regel vurderes pr. strøm, gælder afgørelserne pr. strøm.
table-planned = Trin i { $scenario } som planlagt
note-planned = Det opnåede står ved scenariets resultater.
setup-hardware = Hardware
setup-software = Software
table-software = Komponenter med version og hukommelse
note-software = Versionen er den, processen selv oplyste, hukommelsen den registrerede grænse for proces eller heap; begge har i hele rapporten denne ene kilde. »–«: ikke oplyst.
property-word = { $property ->
    [clock_source] Urkilde
    [program] Program
    [version] Version
    [command_line] Kommandolinje
    [descriptors_soft_limit] Deskriptorer, blød grænse
    [descriptors_hard_limit] Deskriptorer, hård grænse
    [ports_for_outgoing_connections] Porte til udgående forbindelser
    [cores_it_may_use] Kerner, den må bruge
    [weight_against_the_system] Vægt over for systemet
   *[other] { $property }
}
captured-word = { $value ->
    [instances_run_at_nice_5__so_that_load_threads_come_first_on_a_full_machine] instanser kører med nice 5, så belastningstråde kommer først på en fuld maskine
   *[other] { $value }
}
col-sender = Fra
col-receiver = Til
col-leg = Etape
col-how = Hvordan
col-awaited = Ventet
col-stream = Strøm
col-other-failures = Andre fejl
col-our-faults = Fejl i studie eller generator
col-feature = Egenskab
col-exercised = I dette studie
col-test = Test
col-p90 = 90{ " " }%
col-error = Fejl %
col-term = Term
col-description = Beskrivelse
col-iterations = Iterationer
col-component = Komponent
col-version = Version
col-memory = Hukommelse
col-property = Egenskab

## Components

components-title = Systemets dele
components-intro = Hvad forfatteren opgiver om delene ({ $file }), og hvad der blev registreret fra de kørende processer. De to holdes adskilt.
components-stated = Den næste tabel er opgivet af forfatteren og ikke målt.
table-components-stated = Dele som opgivet i { $file }
components-sound = Den opgivne tabel blev gennemgået for tekst mellem tal, blandede enheder, heaps og reservationer ud over hukommelsen, ens rækker og værdier på forkert plads; intet blev fundet.
components-not-captured = Der blev ikke registreret noget fra de kørende processer at holde denne tabel op imod.
table-components-captured = Dele som registreret fra de kørende processer
note-components-captured = Registreret af loadproof, da kørslen begyndte.

# Den første skærm.
overview-title = Sammenfatning
overview-tested = Testet: { $system }. Belastning: { $loads }.
overview-no-load = Testet: { $system }. Ingen belastning varede længe nok til en vurdering.
overview-more-loads = { $left_n ->
    [one] og ét scenario mere
   *[other] og { $left } scenarier mere
}
overview-load-users = { $scenario } med { $most_n ->
    [one] 1 bruger
   *[other] { $most } brugere
} i { $length }
overview-load-held = { $scenario } med { $most_n ->
    [one] 1 forbindelse, der holdes åben
   *[other] { $most } forbindelser, der holdes åbne
 } ({ $sends ->
    [sending] en besked hver { $every } på hver
    [owed] hver skal have en hændelse hver { $every }
    [published] abonnerer, en hændelse til alle hver { $every }
   *[listening] de lytter kun
 }), i { $length }
overview-load-grid = { $scenario } med { $variables_n ->
    [one] hver værdi af { $list }
   *[other] { $cells } kombinationer af { $list }
}, op til { $length } hver gang
overview-load-rate = { $steps ->
    [one] { $scenario } med { $most } i { $length }
   *[other] { $scenario } med { $least } til { $most } i alt { $length }
}
overview-of-verdict = { $verdict ->
    [not_met] Ikke overholdt: { $list }.
   *[other] Kan ikke afgøres: { $list }.
}
overview-one = { $name } ({ $place }{ $others_n ->
    [0] { "" }
    [one] { " " }og ét sted til
   *[other] { " " }og { $others } steder til
}){ $compared ->
    [yes] : { $measured } mod en grænse på { $limit }
   *[other] { "" }
}
overview-more = { $left_n ->
    [one] og én mere
   *[other] og { $left } mere
}
overview-faults = Fejl var slået til i denne kørsel: { $list }. Tallene er dem fra et system, der med vilje opfører sig dårligt.
overview-set = Sat på kommandolinjen: { $list }.
overview-set-scenarios = Sat pr. scenarie: { $list }.
glance-limit = { $of ->
    [service] grænse { $limit } for servicetiden
   *[response] grænse { $limit }
}
fig-whole-run-what = Hele kørslen, sekund for sekund
fig-whole-run-finds = Det langsomste kald tog { $slowest }, ved { $at } i { $scenario }
fig-whole-run-seen = { $ended_n ->
    [one] Én iteration
   *[other] { $ended } iterationer
} lykkedes, og { $failed } mislykkedes.
fig-whole-run-means = Intet, der er registreret, afbrød kørslen.
fig-whole-run-means-events = { $events_n ->
    [one] Én hændelse er registreret; den er markeret med en stiplet linje.
   *[other] { $events } hændelser er registreret; de er markeret med stiplede linjer.
}
fig-whole-run-reading = Skraverede stykker vurderes ikke. Tiderne er svartider, i en lukket belastning servicetider, på en logaritmisk skala.
fig-whole-run-ended = Afsluttede iterationer pr. sekund
fig-whole-run-times = Tider, ms
fig-whole-run-slowest = langsomste kald
fig-whole-run-median = median af den langsomste udveksling
resources-title = Hvad systemet brugte
resources-nothing = Intet blev overvåget under en vurderet arbejdsbelastning.
axis-run = Tid siden kørslens begyndelse (min:s)

# What was asked.
requests-title = Testens forespørgsler
table-transactions-made = Hvad transaktioner består af
table-requests = Forespørgsler
requests-none = Studiet kan ikke læses, så det vides ikke, hvilke forespørgsler der blev sendt.
requests-no-checks = alene efter protokollen (HTTP: en status 2xx)
requests-outside = kun forberedelse
col-sent = Sendt
col-right-if = Rigtigt, hvis
col-timeout = Timeout
col-share-of-work = Andel af kaldene
requests-at-once = samtidig med andre, højst { $most } ad gangen
note-requests = Navne i $(…) udfyldes for hvert kald. Andelen er af alle kald, der var planlagt i de vurderede trin.
note-requests-think = { $name }: en iteration indeholder i alt { $think } tænketid.
note-requests-think-mean = { $name }: en iteration indeholder i gennemsnit { $think } tænketid.
note-requests-think-more = { $name }: betingelser føjer højst { $more } tænketid til.
overview-generator = Belastningsgeneratoren foretog 99 % af starterne inden for { $late } efter det planlagte tidspunkt; dens tråde var optaget { $cpu } af tiden.
overview-rules = { $silent_n ->
    [one] Den anden regel fandt intet.
   *[other] De andre { $silent } regler fandt intet.
}
overview-rules-alone = { $silent } regler fandt intet.

## De langsomste kald

col-trace = Trace-id
table-slowest = De langsomste kald i { $scenario }
note-slowest = Af hver udveksling op til { $most } kald, de langsomste først, med { $measure ->
    [service] deres servicetider, målt fra starten
   *[response] deres svartider, målt fra den planlagte start
}. Det er også det angivne tidspunkt, med klokkeslættet nedenunder.
note-slowest-cut-off = ≥: kaldet blev afbrudt; det ville have taget mindst så lang tid.

## Hvad der skete samtidig

moments-title = Hvad der skete samtidig
moments-none = Intet sekund skilte sig ud fra resten af sin belastningsperiode.
moments-some = { $number_n ->
    [one] Ét øjeblik skilte sig ud
   *[other] { $number } øjeblikke skilte sig ud
} fra resten af belastningen{ $told ->
    [yes] ; hvad der skete, står i kapitlet »{ moments-title }«.
    [conclusions] ; { $number_n ->
        [one] hvad der skete, står
       *[other] de vigtigste står
    } i scenariernes konklusioner.
   *[other] .
}
moments-slow = { $what } tog op til { $greatest } (normalt op til { $usual })
moments-failed = { $number_n ->
    [one] ét kald af { $what } mislykkedes
   *[other] { $number } kald af { $what } mislykkedes
}
moments-silent = intet blev fuldført i { $number } s (normalt { $usual })
moments-watched = { $what } { $greatest } (normalt { $usual })
moments-generator = belastningsgeneratoren ventede { $greatest } på en processor inden for ét sekund (normalt { $usual })
moments-told = { $alone ->
    [yes] Ved { $at } i kørslen: { $what }.
   *[other] Ved { $at } i kørslen: { $what }; usædvanligt på samme tid: { $beside }.
}
moments-more = og { $left } mere
moments-nothing = intet usædvanligt
table-moments = Hvad der skete inden for et sekund af hinanden
col-happened = Hvad klienterne mærkede, og hændelser
col-beside = Usædvanligt på samme tid
col-slowest-around = Langsomste kald, { $seconds } s til hver side
moments-note = En linje begynder med det, klienterne mærkede (langsomme kald, fejl, stilhed), eller med en registreret hændelse. Ved siden af står de måleserier, der var usædvanligt høje inden for det samme sekund, hvad de ellers sjældent er. At noget falder sammen, viser ikke, at det ene forårsagede det andet.
moments-note-chance = Ved ren tilfældighed ville man forvente, at { $number } af det, der er nævnt ved siden af, falder sammen.
moments-note-more = { $left_n ->
    [one] Ét andet øjeblik, hvor mindre falder sammen, er udeladt.
   *[other] Yderligere { $left } øjeblikke, hvor mindre falder sammen, er udeladt.
}

## Liste over kørsler

runs-title = Kørsler
runs-folder = Mappe
runs-count = Kørsler på listen
runs-left-out = Mapper, der ikke er læst
runs-none = Der blev ikke fundet nogen kørsler.
runs-started = Startet (UTC)
runs-verdicts = Afgørelser
runs-rate = Opnået hastighed
runs-slowest = p95 for langsomste udveksling
runs-not-judged = ikke vurderet
runs-running = kører stadig
runs-damaged = beskadiget: { $reason }
runs-note-hold = Hastighed, p95 og fejl gælder det første plateau i det første scenarie med belastning; delene af et miks er talt sammen.
runs-note-times = p95 gælder vellykkede kald: svartid ved åben belastning, servicetid ved lukket belastning. »≥« betyder, at p95 er begrænset af timeouten.
runs-footer = Lavet af loadproof ud fra »result.json« for hver kørsel. Links er relative og virker, så længe denne side og kørselsmapperne bliver liggende samme sted i forhold til hinanden.

## Figurer, hvis to tal er ens

fig-ecdf-means-same = En grænse ti procent under eller over { $limit } ville blive overholdt af de samme { $share }: intet her afhænger af den præcise værdi.
fig-mirror-means-same = »{ $first }« og »{ $second }« er ens på tre cifre. Enhedens grænse er ikke kendt, så dette beskriver kun forbruget.

## Figurernes knapper

page-whole = Vis alt

## Standsninger i figurer

label-stalls = stop: { $stalls }
col-stall = Standsning
fig-stalls-finds = { $caption }; { $stalls_n ->
    [one] { $stalls } standsning
   *[other] { $stalls } standsninger
}
fig-stalls-finds-lost = { $caption }; { $stalls_n ->
    [one] { $stalls } standsning
   *[other] { $stalls } standsninger
} kostede { $lost }
fig-stalls-seen = Markeret med en bjælke foroven: { $stalls_n ->
    [one] { $stalls } standsning
   *[other] { $stalls } standsninger
}, i alt { $time }.
fig-stalls-seen-lost = Markeret med en bjælke foroven: { $stalls_n ->
    [one] { $stalls } standsning
   *[other] { $stalls } standsninger
}, i alt { $time }. Derved blev { $lost } af det, der ellers var blevet gjort, ikke gjort.

## Gitre

bulk-title = Arbejde i store mængder
bulk-lead = { $scenario }: { $units } { $unit } på { $time }, i gennemsnit { $rate }.
bulk-lead-stalls = Uden for { $stalls ->
    [one] den ene standsning
   *[other] de { $stalls } standsninger
}, i { $part } af tiden, var det { $rate }.
axis-carried = { $unit } pr. sekund (/s)
fig-carried-what = Hastighed over tid, { $what }, { $scenario }
fig-carried-finds = I gennemsnit { $accepted } modtaget og { $through } færdigt, i { $unit }
fig-carried-seen = Fra aflæsning til aflæsning lå det, der blev færdigt, mellem { $least } og { $most }.
fig-carried-seen-none = Tællingen blev ikke aflæst to gange i den vurderede del.
fig-carried-means-even = Hastigheden blev på ét niveau, så gennemsnittet beskriver ethvert tidspunkt.
fig-carried-means-stalls = Gennemsnittet på { $mean } omfatter standsningerne; mellem dem var det { $working }. Det ene tal står ikke for det andet.
fig-carried-means-none = Tiden var for kort til en hastighed mellem standsninger, eller hastigheden har ikke ét niveau: gennemsnittet beskriver helheden og intet tidspunkt i den.
fig-carried-reading = Hvert punkt er det, der kom til fra den ene aflæsning til den næste, pr. sekund. Hvor tællingen står stille, mens kald modtages, venter arbejde.
bulk-what = Af hvad
bulk-units = Behandlet
bulk-time = Tid
bulk-mean = Gennemsnit
bulk-bytes = Byte
bulk-working = Mellem standsninger
bulk-duty = Målt i
bulk-stalls = { $stalls ->
    [one] 1 standsning
   *[other] { $stalls } standsninger
}
bulk-accepted = { $unit } modtaget af { $exchange }
bulk-through = { $leg }, efter { $count }
bulk-left = Tilbage ved slutningen
bulk-drained = Færdig efter
bulk-not-drained = ikke set
table-bulk = Hvor mange, på hvilken tid, med hvilken hastighed
table-bulk-left = Hvad der var modtaget og ikke var færdigt, da belastningen sluttede
note-bulk = Gennemsnittet er alt, der blev behandlet, divideret med hele tiden, standsninger medregnet. Ved siden af står hastigheden i den tid, hvor der blev arbejdet; »målt i« angiver den tid som en del af det hele, og 90 %-intervallet står nedenunder. Den siger, hvad systemet gør, mens det arbejder, og kan ikke føres videre: over længere tid gælder gennemsnittet.
note-bulk-bytes = Byte er dem, protokollen tæller pr. kald: af en pakke, der udgives, eller af svaret på en forespørgsel.
note-bulk-no-working = Uden en hastighed mellem standsninger: tiden er for kort til at bestemme den, eller hastigheden har ikke ét niveau.

grid-title = Gitter: { $grid }
grid-lead = { $cells } kombinationer af { $variables }, hver målt { $often ->
    [same] { $most_n ->
        [one] én gang.
       *[other] { $most } gange.
    }
   *[differs] { $least } til { $most } gange.
}
grid-lead-missing = For { $missing } af de { $planned } kombinationer er der ingen måling: de blev ikke udført eller nåede ikke fuld belastning.
grid-typed = { $short } er kort for scenariet { $typed }, som er det, man skriver.
table-grid-definitions = Hvad ordene i dette kapitel betyder
table-grid-cells = Alle kombinationer af { $grid }
table-grid-clean-held = Det største antal uden fejl og uden fejlede forbindelser, { $grid }
table-grid-clean = Den største belastning uden fejl, { $grid }
grid-planned = Planlagt
grid-planned-means = { $load ->
    [held] Beskeder, der skulle sendes under fuld belastning på alle forbindelser, der skulle have været åbne. Dem på en fejlet forbindelse er medregnet.
    [closed] Iterationer, som brugere begyndte under fuld belastning.
   *[other] Iterationer, der skulle begynde under fuld belastning, uanset om de kunne startes.
}
grid-offered = Tilbudt
grid-offered-means = Det planlagte pr. sekund af den fulde belastning.
grid-ok = OK
grid-ok-means = { $load ->
    [held] Afsluttet inden for timeouten, med alle kontroller i orden: sendt og besvaret eller, hvor forbindelser kun lytter, modtaget.
   *[other] Sendt og besvaret inden for timeouten, med alle kontroller i orden.
}
grid-delivered = Leveret
grid-delivered-means = Det, der var OK, pr. sekund af den fulde belastning, efter tidspunktet, hvor det sluttede.
grid-failed-connection = Fejlet forbindelse
grid-failed-connection-means = En forbindelse, der ikke kunne åbnes: afvist, udløbet eller forkert besvaret. Alt planlagt på den tæller som fejl. En forbindelse, der afbrydes senere, tælles ikke her, men det, den ikke længere kunne sende, er også fejl.
grid-error-share = Fejl af planlagt
grid-error-share-means = Det planlagte, der mislykkedes, aldrig blev sendt eller aldrig kom, som andel af alt planlagt.
grid-stood-share = Fejl af sendt
grid-stood-share-means = Beskeder uden rigtigt svar som andel af dem, der blev sendt på en forbindelse, der bestod. Alt det, fejlede forbindelser aldrig sendte, er udeladt, så andelen kan være 0 % ved siden af mange af dem; den vises, fordi mange rapporter kalder dette fejlprocenten.
grid-col-attempted = Forbindelser
grid-col-failed = Fejlede
grid-col-errors = Fejl
grid-col-cell = Kombination
grid-col-largest = Største { $variable }
grid-col-times = Gange målt
grid-col-at-most = Højst fejl
grid-col-connections-at-most = Højst fejlede forbindelser
grid-col-next = Næste { $variable }
grid-of-planned = af { $planned } planlagte
grid-repetitions = { $times } gentagelser
note-grid-cells = Under en værdi står dens 95 %-interval. Tiderne er { $measure ->
    [service] servicetider
   *[response] svartider
} for det, der var OK. Med fed: kombinationer helt uden fejl.
note-grid-connections = »Forbindelser« er dem, der blev forsøgt, »Fejlede« dem af dem, der fejlede; »Planlagt« tæller beskeder.
note-grid-stood = »Fejl af sendt« siger intet om det, der aldrig blev sendt; krav og afgørelser bruger »Fejl af planlagt«.
note-grid-no-interval = En værdi uden interval: den fulde belastning er for kort, eller for få uafhængige kald står bag, til at angive et.
note-grid-repeated = Antal er summer over gentagelserne. Intervallerne for andele og hastigheder er dem mellem gentagelser.
note-grid-lines = Vist: { $shown } af { $all } kombinationer af de andre variabler; alle kombinationer står i tabellen ovenfor.
grid-clean-title = Største belastning uden fejl
grid-clean-none = ingen
grid-clean-once = { $cells } af de { $all } kombinationer er målt én gang. Hvor meget to ens målinger afviger her, vides ikke, så gentag det, du citerer.
grid-clean-uneven = { $clean } var uden fejl, skønt mindre ikke var det: { $below }.
grid-clean-repeat = Fejl vokser ikke blot med { $variable }. Gentag disse kombinationer, før du angiver en grænse.
grid-clean-reading = »Højst« er den øvre grænse for en andel, som ikke ét tilfælde er set af, med en konfidens på { $confidence } (Clopper–Pearson), som om hvert tilfælde var uafhængigt af de andre. Jo mere der var planlagt, jo lavere er den.
grid-next-none = ikke prøvet
grid-next-held = { $failed } fejlede forbindelser, { $share } fejl
grid-next = { $share } fejl
grid-next-untrusted = ingen fejl, men målingen er ikke gyldig
grid-map-title = Kort over afgørelser
grid-delivered-title = Planlagt og leveret
grid-ramp-title = Fejl og opstart
grid-system-title = Systemet i hver kombination
fig-grid-map-what = Afgørelser for alle kombinationer af { $grid }
fig-grid-map-finds = { $wrong } af { $all } kombinationer har fejl
fig-grid-map-seen = Overholdt: { $met }; ikke overholdt: { $not_met }; kan ikke afgøres: { $cannot_tell }. Flest fejl havde { $worst }: { $share } af det planlagte.
fig-grid-map-seen-none = Overholdt: { $met }; ikke overholdt: { $not_met }; kan ikke afgøres: { $cannot_tell }. Ingen kombination har fejl.
fig-grid-map-means-met = I hver kombination er alle krav overholdt, så grænsen ligger længere ude.
fig-grid-map-means-not-met = De skraverede kombinationer overholder ikke kravene: grænsen går gennem dette kort.
fig-grid-map-means-open = Intet krav er brudt, men ikke alle kombinationer kan afgøres.
fig-grid-map-means-undemanded = Intet krav gælder for disse kombinationer, så kortet viser fejl og afgør intet.
fig-grid-map-reading = ✓ overholdt, ✗ ikke overholdt (skraveret), ? kan ikke afgøres, · intet krævet, ! måling forstyrret. Under tegnet står andelen af fejl af det planlagte. En ramme markerer kombinationer helt uden fejl.
grid-axis-planned = planlagt pr. sekund
grid-axis-delivered = leveret pr. sekund
grid-axis-ramp = opstart i sekunder
grid-axis-errors = fejl i % af planlagt
grid-label-all = det hele
fig-grid-delivered-what = Planlagt og leveret pr. sekund i alle kombinationer af { $grid }
fig-grid-delivered-finds-kept = Op til { $rate } blev næsten alt leveret
fig-grid-delivered-finds-connections = Det, der mangler, hører til fejlede forbindelser
fig-grid-delivered-finds = Højst { $rate } blev leveret
fig-grid-delivered-finds-collapse = Højst { $best } blev leveret; af { $planned } planlagt kun { $delivered }
fig-grid-delivered-seen = { $best } leverede mest: { $delivered }. { $lossy } tabte mest: { $lost }.
fig-grid-delivered-seen-kept = { $best } leverede mest: { $delivered }.
fig-grid-delivered-means-kept = Hver kombination leverede mindst { $share } af det planlagte, så ingen af dem ligger ud over grænsen.
fig-grid-delivered-means-connections = På de forbindelser, der blev åbnet, blev næsten alt leveret: grænsen her gælder forbindelser, ikke beskeder pr. sekund.
fig-grid-delivered-means-short = Grænsen ligger ved { $rate }: det, der planlægges ud over den, leveres ikke i tide, men mere belastning giver ikke mindre.
fig-grid-delivered-means-collapse = Ud over cirka { $best } leverer systemet mindre, jo mere der kræves: det bryder sammen, og en tabel efter forbindelser alene ville ikke vise det.
fig-grid-delivered-reading = På den stiplede linje leveres alt planlagt. En prik er en kombination uden fejl, et kryds en med fejl; en lodret linje er 95 %-intervallet mellem gentagelser.
fig-grid-ramp-what = Fejl i forhold til opstartens længde, { $grid }
fig-grid-ramp-finds = Med en opstart på { $short } { $low } fejl, med en på { $long } { $high }
fig-grid-ramp-seen = Det er tallene for { $line }, som havde flest fejl. { $drawn } af { $lines } kombinationer af de andre variabler er tegnet.
fig-grid-ramp-means-fewer = En længere opstart giver færre fejl: en del af dem skyldes, hvor hurtigt forbindelser eller belastning kommer, ikke hvor mange der er.
fig-grid-ramp-means-more = En længere opstart giver flere fejl, så opstarten forklarer dem ikke. Gentag begge, før du konkluderer noget.
fig-grid-ramp-means-open = Intervallerne viser ikke, at opstartens længde betyder noget.
fig-grid-ramp-reading = Det er fejl i den vurderede fulde belastning, af alt planlagt. En lodret linje er 95 %-intervallet.
grid-system-word = { $kind ->
    [processor] Processor
   *[memory] Hukommelse
}
fig-grid-system-what = { $what } i kombinationerne af { $grid }
fig-grid-system-finds = { $what }: højst { $most } i gennemsnit, i { $cell }
fig-grid-system-seen = Gennemsnit for de vurderede dele går fra { $least } ({ $low }) til { $most } ({ $high }). { $drawn } af { $all } kombinationer er tegnet.
fig-grid-system-means-grows = { $what }: forbruget afhænger af kombinationen og hører altså til den belastning, der varieres her.
fig-grid-system-means-even = { $what }: forbruget er næsten ens i alle kombinationer og forklarer altså ikke, hvor de adskiller sig.
fig-grid-system-reading = Hvert felt er en kombination i dens første gentagelse, med tiden siden dens scenarie begyndte; alle har én skala. Det grå vurderes ikke. Farverne er instanserne, som i de andre figurer.
grid-scaling-title = Hvad flere replikaer giver
grid-scaling-calls = Målt
grid-scaling-time = Gennemsnitlig tid
grid-scaling-carried = { $unit } pr. kald
grid-scaling-rate = { $unit }
grid-scaling-speed-up = Hastighedsforøgelse
grid-scaling-efficiency = Effektivitet
grid-scaling-base = basis
table-grid-scaling = Tider, hastighedsforøgelse og effektivitet efter antal replikaer af { $instance }
table-grid-scaling-with = Tider, hastighedsforøgelse og effektivitet efter antal replikaer af { $instance }, { $with }
note-grid-scaling = Hastighedsforøgelsen er den gennemsnitlige tid med færrest replikaer af { $instance } divideret med tiden med rækkens antal. Effektiviteten er hastighedsforøgelsen divideret med den faktor, som antallet af replikaer er større med: 100 %, hvor hver giver lige så meget som basens. Under begge står 95 %-intervallet, som er det for en sammenligning af gennemsnitlige tider.
note-grid-scaling-bare = Hvor en hastighedsforøgelse eller dens interval mangler: { $why }
grid-axis-replicas = replikaer af { $instance }
grid-axis-speed-up = hastighedsforøgelse
grid-label-ideal = ideelt
fig-grid-scaling-what = Hastighedsforøgelse efter antal replikaer af { $instance }
fig-grid-scaling-finds = { $replicas } replikaer i stedet for { $first } udfører det samme arbejde { $lines ->
    [one] { $high } gange så hurtigt
   *[other] { $low } til { $high } gange så hurtigt
}
fig-grid-scaling-seen = { $lines ->
    [one] { $best } er { $high } gange så hurtig, en effektivitet på { $high_share }.
   *[other] { $best } vinder mest: { $high } gange så hurtig, en effektivitet på { $high_share }; { $worst } mindst: { $low } gange, { $low_share }. { $drawn } af { $lines } udvekslinger er tegnet.
}
fig-grid-scaling-means-full = Hver replika giver mindst { $full } af det, en af de første gav: flere replikaer forkorter arbejdet i samme forhold.
fig-grid-scaling-means-less = Hver yderligere replika giver mindre end { $full } af det, en af de første gav: en del af arbejdet bliver ikke delt, eller de deler noget, der allerede er i brug.
fig-grid-scaling-means-mixed = En del af arbejdet bliver næsten helt delt, en anden del ikke: til det første er flere replikaer deres pris værd.
fig-grid-scaling-means-open = Intervallerne viser ikke, om hver replika giver mindst { $full } af det, en af de første gav. Gentag målingen, før du konkluderer noget.
fig-grid-scaling-reading = På den stiplede linje giver hver replika lige så meget som basens. En lodret linje er 95 %-intervallet.

search-title = Søgning efter grænsen: { $search }
search-lead-bracket = I { $attempts } { $attempts ->
    [one] forsøg
   *[other] forsøg
} blev { $variable } varieret mellem { $from } og { $to } ved halvering ned til { $width }; en belastning holder, når { $passes } af { $of } forsøg lykkes.
search-lead-nsp = I { $attempts } { $attempts ->
    [one] iteration
   *[other] iterationer
} blev først { $one } og derefter { $other } øget, så længe throughput voksede med mindst { $target } af væksten i brugere.
search-between = Grænsen ligger mellem { $held }, som holdt med et throughput på { $throughput }, og { $failed }, som ikke holdt.
search-at-least = { $held } holdt med et throughput på { $throughput }. Ingen højere belastning viste sig at være for stor, så det er en nedre grænse.
search-below = Grænsen ligger under { $failed }: ingen belastning holdt.
search-best = Det højeste throughput var { $throughput } med { $load } i iteration { $attempt }.
search-nothing = Intet forsøg siger, hvor grænsen ligger.
search-end = { $why ->
    [found] Søgningen sluttede, fordi det, der holdt, og det, der ikke holdt, ligger så tæt, som der blev bedt om, eller fordi ingen belastning ligger imellem.
    [top_held] Søgningen sluttede ved intervallets højeste belastning, som holdt.
    [lowest_failed] Søgningen sluttede ved intervallets laveste belastning, som ikke holdt.
    [generator] Søgningen blev stoppet, fordi belastningsgeneratoren eller dens omgivelser forstyrrede forsøget ved én og samme belastning tre gange. Systemets grænse kan ligge højere.
    [unjudged] Søgningen sluttede, fordi tre forsøg ved én og samme belastning ikke kunne vurderes, selv om intet forstyrrede dem: se årsagen i tabellen.
    [attempts_used_up] Søgningen sluttede, da de tilladte forsøg var brugt. Flere forsøg kan indsnævre intervallet.
    [degraded] Søgningen sluttede, fordi en replika faldt ud og ikke kom tilbage: senere forsøg ville have målt et andet system.
    [target_missed] Søgningen sluttede, fordi flere brugere ikke længere gav den vækst, der blev bedt om.
    [disturbed] Søgningen sluttede, fordi flere brugere ikke længere gav den vækst, der blev bedt om, i en iteration, som belastningsgeneratoren eller dens omgivelser forstyrrede. Grænsen kan ligge dér: det højeste throughput er en nedre grænse for, hvad systemet kan.
    [most_reached] Søgningen sluttede ved de grænser, som studiet sætter, før throughput holdt op med at vokse: maksimum blev ikke nået, og det højeste throughput er en nedre grænse.
    [aborted] Søgningen sluttede, fordi en stopregel afbrød et forsøg, og der ikke var nogen anden belastning at fortsætte med.
   *[unfinished] Søgningen blev ikke gjort færdig; det, der er fundet indtil nu, gælder.
}
search-by-values = { $side ->
    [held] At { $load } holdt, følger af de målte værdier; intet forsøg var langt nok til at bevise det. Tilføj eller forlæng »confirm«, eller forlæng måleperioden, for at bevise det.
   *[failed] At { $load } ikke holdt, følger af de målte værdier; intet forsøg var langt nok til at bevise det.
}
search-decided-otherwise = Vurderet som helhed giver kørslen et andet resultat for forsøg { $attempts } end det, søgningen gik ud fra undervejs. Gentag dem, hvis de ligger ved grænsen.
search-taken-over = { $count ->
        [one] Forsøg { $attempts } blev
       *[other] Forsøgene { $attempts } blev
    } udført i den tidligere kørsel »{ $run }« og er overtaget, som de blev vurderet dér; tallene står i dens egen rapport.
search-outcome = { $outcome ->
    [passed] { $sure ->
        [sure] holdt
       *[values] holdt ifølge værdierne
    }
    [failed] { $sure ->
        [sure] holdt ikke
       *[values] holdt ikke ifølge værdierne
    }
   *[void] siger intet
}
attempt-told = { $outcome ->
    [passed] bestået
    [failed] ikke bestået
   *[void] tæller ikke
} ved { $tried } med { $rate } ({ $why }); { $next }
attempt-next = { $how ->
    [again] derefter én gang til, længere, med { $values }
   *[next] derefter { $values }
}
attempt-over = { $why ->
    [found] grænsen er fundet
    [generator] stoppet af belastningsgeneratoren eller dens omgivelser
    [unjudged] stoppet, fordi forsøg ikke kunne vurderes
    [attempts_used_up] stoppet, fordi forsøgene var brugt
    [degraded] stoppet, fordi en replika faldt ud
    [target_missed] stoppet, fordi målet ikke blev nået
    [disturbed] stoppet ved en grænse, der kan være belastningsgeneratorens
    [most_reached] stoppet ved studiets maksimum
    [aborted] stoppet af en stopregel
   *[other] stoppet ({ $why })
}
attempt-grew = throughputtet voksede med { $grew }, { $wanted } var krævet
attempt-why = { $why ->
    [aborted] stopreglen { $name } blev udløst
    [aborted_spoiled] { $name } blev udløst under en forstyrret måling
    [behind] svarene kunne ikke følge med belastningen
    [degraded] replikaen { $name } faldt ud
    [invalid] målingen blev forstyrret
    [left] iterationer blev afbrudt
    [measured] målt
    [met] alle krav er overholdt
    [no_rate] raten kan ikke afgøres
    [no_value] { $name } kan ikke afgøres
    [not_met] { $name } er ikke overholdt
    [nothing_asked] der blev ikke stillet krav
    [nothing_ok] intet lykkedes
    [unrested] { $name } var stadig optaget af arbejde fra før
    [value_beyond] { $name } ligger uden for grænseværdien, men det er ikke bevist
   *[value_within] { $name } ligger inden for grænseværdien, men det er ikke bevist
}
search-reason = { $reason ->
    [aborted] stopreglen { $rule } blev udløst
    [aborted_spoiled] stopreglen { $rule } blev udløst, men belastningsgeneratoren eller dens omgivelser forstyrrede målingen
    [behind] kun { $ended } af { $offered } tilbudte lykkedes
    [degraded] replikaen { $instance } faldt ud
    [invalid] belastningsgeneratoren eller dens omgivelser forstyrrede forsøget
    [left] { $left } iterationer blev afbrudt eller sluttede aldrig
    [measured] målt
    [met] alle krav er opfyldt
    [no_rate] den rate, som søgningen går efter, kan ikke afgøres
    [no_value] { $requirement } kan ikke afgøres, heller ikke ud fra én værdi
    [not_met] { $requirement } er ikke opfyldt
    [nothing_asked] der blev ikke stillet krav
    [nothing_ok] intet lykkedes
    [unrested] { $left } af { $leg } fra før var stadig undervejs, da belastningen begyndte
    [value_beyond] { $requirement } ligger over grænseværdien, men ikke nok til at bevise det
   *[value_within] { $requirement } ligger inden for grænseværdien, men ikke nok til at bevise det
}
search-attempt = { $confirms ->
    [yes] { $number }, bekræfter
   *[no] { $number }
}
search-rated = { $said ->
    [first] første
    [met] mål nået
    [missed] mål ikke nået
    [not_counted] tæller ikke: en replika faldt ud, eller målingen er ugyldig
   *[none] ikke vurderet
}
search-col-start = Starttid (UTC)
search-col-end = Sluttid (UTC)
search-threads = tråde
search-nodes = nodes
search-col-attempt = Forsøg
search-col-iteration = Iteration
search-col-users = Brugere
search-col-outcome = Resultat
search-col-why = Hvorfor
search-col-actual = Faktisk forbedring
search-col-target = Målforbedring
table-search-attempts = Alle forsøg i { $search } i tidsrækkefølge
note-search-by = I denne søgning er throughput { $by } i stedet for iterationer, der lykkedes.
note-search-attempts = »Ifølge værdierne« betyder, at et kravs interval rækker hen over grænseværdien; søgningen gik da ud fra den målte værdi. Throughput tæller iterationer, der lykkedes; fejl er en andel af alt, der var planlagt.
note-search-steps = Forbedringen er regnet i forhold til iterationen med det hidtil højeste throughput og afkortet til hele procent, som reglen foreskriver; den uafrundede værdi står nedenunder.

## Alle iterationer i en kørsel samlet

iterations-title = Alle iterationer
iterations-intro = { $iterations_n ->
    [one] Kørslen har én iteration.
   *[other] Kørslen har { $iterations } iterationer.
} En iteration er her én vurderet periode. Det, klienterne oplevede, og det, der blev overvåget, er tegnet over hele kørslen. Tallet under en akse er iterationens nummer; tiden mellem to iterationer er skraveret og indgår ikke i nogen vurdering.
iterations-client-title = Kald og tider over hele kørslen
table-iterations-times = Kald og tider i hver iteration
note-iterations-times = Der tælles kald, som startede i iterationen og lykkedes; kald pr. sekund er regnet over iterationens længde. Percentilerne er af alle iterationens kald under ét, med 95 %-intervallet nedenunder, hvor der er et: det er de tal, der skal sammenlignes.
fig-iteration-times-what = 95 %- og 98 %-percentil for { $what } over hele kørslen ({ $measure ->
    [service] servicetider
   *[response] svartider
})
fig-iteration-times-finds = Den højeste p95 i et delinterval er { $highest }, i iteration { $iteration }
fig-iteration-times-seen = Den højeste p95 i noget delinterval er { $p95 }, den højeste p98 { $p98 }. Det er ikke det langsomste kald; det tog { $slowest }.
fig-iteration-times-limit = { $beyond_n ->
    [0] Grænseværdien på { $limit } for { $share } af kaldene er overholdt i alle { $parts } delintervaller.
   *[other] Grænseværdien på { $limit } for { $share } af kaldene er overskredet i { $beyond } af { $parts } delintervaller.
}
fig-iteration-times-no-limit = Studiet sætter ingen grænse for p95 eller p98, så der er intet at holde dem op imod.
fig-iteration-times-reading = Hver iteration er delt i lige lange delintervaller på højst { $width }, og intet delinterval går fra én iteration ind i den næste. Et kald tælles med, hvor det sluttede. Værdierne er aflæst af størrelsesklasser og kan ligge op til 12 % ved siden af; tabellen har de nøjagtige percentiler for hele iterationer.
fig-iteration-rates-title = Kald pr. sekund
fig-iteration-rates-what = Kald pr. sekund over hele kørslen
fig-iteration-rates-finds = Iteration { $iteration } har i gennemsnit flest kald: { $rate }
fig-iteration-rates-seen = { $iterations_n ->
    [one] Gennemsnittet er { $first }.
   *[other] Over { $iterations } iterationer går gennemsnittet fra { $first } i den første til { $last } i den sidste.
}
fig-iteration-rates-means-last = Den sidste iteration har flest kald pr. sekund, så kørslen viser ikke, hvor væksten hører op.
fig-iteration-rates-means-earlier = Der er ikke flest kald pr. sekund i den sidste iteration: det, der kom efter toppen, gav ikke flere kald.
fig-iteration-rates-reading = Hele sekunder inden for iterationerne efter kaldets sluttidspunkt; gennemsnittene tæller kald, der lykkedes.
axis-run-iterations = Tid siden kørslens start (min:s); nedenunder iterationen

iterations-servers-title = Servernes adgangslog
iteration-servers-all = alle servere
iteration-servers-col-server = Server
iteration-servers-col-window = Vindue
table-iteration-servers = { $metric } ({ $monitor }): hver servers kald i hver iteration
note-iteration-servers = Det samme vindue gælder for alle tal i en række: fra iterationens start til dens slut, som de blev registreret. Et kald hører til efter det tidspunkt, loggen angiver; kald pr. sekund er kald divideret med vinduets længde.
note-iteration-servers-left = { $left_n ->
    [one] Yderligere én server indgår kun i summen.
   *[other] Yderligere { $left } servere indgår kun i summen.
}
fig-iteration-servers-axis = { $shown ->
    [calls] Kald pr. minut (/min)
   *[durations] Gennemsnitligt tidsforbrug (ms)
}
fig-iteration-servers-what = { $shown ->
    [calls] Kald pr. minut i hver servers log
   *[durations] Gennemsnitligt tidsforbrug pr. minut i hver servers log
}: { $metric } ({ $monitor })
fig-iteration-servers-finds = { $shown ->
    [calls] Der er flest kald, { $highest }, i loggen fra { $server }, i iteration { $iteration }
   *[durations] Det højeste gennemsnit, { $highest }, er i loggen fra { $server }, i iteration { $iteration }
}
fig-iteration-servers-seen = { $servers_n ->
    [one] { $iterations_n ->
            [one] Gennemsnittet er { $first }.
           *[other] Gennemsnittet går fra { $first } i den første iteration til { $last } i den sidste.
        }
   *[other] { $iterations_n ->
            [one] Gennemsnittet for de { $servers } servere er { $first }.
           *[other] Gennemsnittet for de { $servers } servere går fra { $first } i den første iteration til { $last } i den sidste.
        }
}
fig-iteration-servers-means-even = Replikaerne er stort set lige belastede; i iteration { $iteration }, hvor de ligger længst fra hinanden, har { $most } { $most_value } og { $least } { $least_value }.
fig-iteration-servers-means-apart = Replikaerne er ikke lige belastede: i iteration { $iteration } har { $most } { $most_value } og { $least } { $least_value }. Det bør kunne forklares, for eksempel af lastfordelingen eller en fejl.
fig-iteration-servers-means-one = Ingen server har en replika ved siden af sig, så der er intet at sammenligne med.
fig-iteration-servers-reading = Værdierne er af delintervaller på højst { $width }, hvert inden for én iteration. Alle paneler har samme skala.
fig-iteration-system-left = { $left_n ->
    [one] Yderligere én er ikke tegnet.
   *[other] Yderligere { $left } er ikke tegnet.
}

iterations-system-title = Serverne side om side
fig-iteration-system-what = { $metric } for { $servers_n ->
    [one] én server
   *[other] { $servers } servere
} ({ $monitor }) over hele kørslen
fig-iteration-system-finds = { $metric } er højest på { $server }: { $most }, i iteration { $iteration }
fig-iteration-system-seen = { $iterations_n ->
    [one] { $metric } på { $server } er i gennemsnit { $first }.
   *[other] I gennemsnit går { $metric } på { $server } fra { $first } i den første iteration til { $last } i den sidste.
}
fig-iteration-system-reading = Alle paneler har samme skala og samme tidsakse. Lodrette linjer er iterationernes start og slut, stiplede er hændelser. En øvre grænse er tegnet, hvor den ligger i nærheden af det målte.

iterations-trends-title = Tendenser over iterationerne
trends-intro = Hvordan { $iterations } uforstyrrede iterationer følger deres belastning. En tendens er den faktor, en værdi ændrer sig med, når belastningen fordobles, fundet ved en ret linje gennem logaritmerne og med 99 %-interval. »Stiger« og »falder« betyder, at intervallet udelukker uændret; »ændrer sig næppe« betyder, at en fordobling ændrer værdien mindre end { $band }; alt andet kan ikke afgøres. Belastningerne følger efter hinanden i tid, så en langsom ændring i systemet eller maskinen ligner en virkning af belastningen.
trend-throughput = Throughput
trend-time = Gennemsnitstiden
trend-high = 95 %-percentilen for { $exchange }
trend-told = { $said ->
    [rises] { $what } stiger med belastningen, fra { $least } ved { $from } til { $most } ved { $to }: når belastningen fordobles, ganges værdien med { $factor } ({ $interval }).
    [falls] { $what } falder med belastningen, fra { $least } ved { $from } til { $most } ved { $to }: når belastningen fordobles, ganges værdien med { $factor } ({ $interval }).
    [hardly] { $what } ændrer sig næppe med belastningen ({ $least } ved { $from }, { $most } ved { $to }): når belastningen fordobles, ganges værdien med { $factor } ({ $interval }).
   *[open] { $what }: en tendens kan ikke afgøres ({ $least } ved { $from }, { $most } ved { $to }); når belastningen fordobles, ganges værdien med { $factor }, men alt i { $interval } er også muligt.
}
trend-none = { $what }: en tendens kan ikke afgøres. { $why }
trend-refused = { $reason ->
    [few] Der er { $have } iterationer, og der kræves { $need }.
    [missing] Der er målt i { $have } af { $all } iterationer, og der kræves { $need }.
    [span] Belastningerne spænder over mindre end en faktor { $span }.
    [zero] Værdien var nul i en iteration, og nul har ingen faktor.
   *[interval] Intervallet rummer både uændret og mere end en lille ændring.
}
trend-old-heap-title = Old generation
trend-old-heap = { $said ->
    [rises] { $what } stiger med { $growth } i timen ({ $low } til { $high }); til sidst er der { $last } tilbage efter oprydning.
    [falls] { $what } falder med { $growth } i timen ({ $low } til { $high }); til sidst er der { $last } tilbage efter oprydning.
   *[open] { $what }: om den stiger, kan ikke afgøres; væksten i timen ligger mellem { $low } og { $high }. Til sidst er der { $last } tilbage efter oprydning.
}
trend-old-heap-room = Loftet er { $limit }, så der er { $left } luft op til det.
trend-collecting = { $how ->
    [up] Garbage collection kan følge med på { $instance }: over { $iterations } iterationer standser den programmet i højst { $worst } af tiden, i nummer { $place } af de iterationer, der tæller her; { $limit } er tilladt.
   *[behind] Garbage collection kan ikke følge med på { $instance }: i nummer { $place } af de iterationer, der tæller her, standser den programmet i { $worst } af tiden; { $limit } er tilladt.
}
trend-collecting-full = { $full_n ->
    [0] Der var ingen fulde garbage collections.
    [one] Der var én fuld garbage collection.
   *[other] Der var { $full } fulde garbage collections.
}
table-trends = Hvad der følger belastningen over iterationerne
trend-col-what = Målt
trend-col-iterations = Iterationer
trend-col-first = Første
trend-col-last = Sidste
trend-col-slope = Pr. fordobling
trend-col-said = Tendens
trend-said = { $said ->
    [rises] stiger
    [falls] falder
    [hardly] ændrer sig næppe
   *[open] kan ikke afgøres
}
note-trends = Værdierne er gennemsnit for hver iteration, p95 er for alle dens kald; iterationer, der blev forstyrret eller manglede en replika, er udeladt. For old generation er det laveste niveau i hver iteration brugt, og væksten er i timen.

search-curve-title = Hvad forsøgene siger samlet
search-law-refused = { $reason ->
    [few_loads] Universal Scalability Law er ikke tilpasset: { $have } belastninger er målt uforstyrret, og der kræves { $need }.
    [regimes] Universal Scalability Law er ikke tilpasset: der manglede en replika i nogle af forsøgene, så de er ikke af ét system.
    [no_bend] Kurven bøjer ikke: en ret linje beskriver { $loads } belastninger lige så godt som Universal Scalability Law, så kapaciteten er mindst { $bound }.
    [no_kappa] Universal Scalability Law passer til { $loads } belastninger, men intet viser, at throughput ville falde igen, så parametrene er ikke angivet.
    [ceiling] Et loft beskriver kurven over { $loads } belastninger lige så godt som Universal Scalability Law: intet viser, at throughput ville falde igen, så parametrene er ikke angivet.
    [far_peak] Efter Universal Scalability Law ville toppen ligge ved { $peak } brugere, for langt fra de { $most }, der blev prøvet, så parametrene er ikke angivet.
   *[no_fit] Universal Scalability Law kan ikke tilpasses { $loads } belastninger.
}
search-knee-refused = { $reason ->
    [few_loads] Der er ikke ledt efter et knæk: { $have } belastninger er målt uforstyrret, og der kræves { $need }.
    [straight] Der er intet knæk: throughput pr. bruger falder ikke mere, end tilfældigheder kan forklare.
   *[none] Der er intet knæk: kurven bøjer, men ingen steder skarpt nok.
}
search-little = { $how ->
    [close] Littles lov passer: brugerne og det, der var i gang, afviger højst { $off }, i iteration { $attempt }, og det er inden for { $limit }.
   *[apart] Littles lov passer ikke i iteration { $attempt }: brugerne og det, der var i gang, afviger { $off }, og det er mere end { $limit }. En del af brugernes tid er ikke med i de registrerede tider.
}
search-little-none = Tiden for et gennemløb er ikke målt, så Littles lov kan ikke efterprøves.
search-little-reading = Brugere divideret med throughput er den tid, hver bruger har til ét gennemløb af kaldene. Den skal være den gennemsnitlige tid for et gennemløb inklusive tænketid; afvigelsen er forskellen mellem throughput × tid og brugerne. Den tid, servernes log ikke har, er brugt i netværket og i belastningsgeneratoren.
table-search-little = Brugere, throughput og tid i hvert forsøg (Littles lov)
search-little-col-each = Brugere ÷ throughput
search-little-col-time = Tid for et gennemløb
search-little-col-off = Afvigelse
search-little-col-log = I servernes log
search-little-col-rest = Uden for den

## Kravenes historik

archive-title = { $study }: kravenes historik
archive-summary = Hvad der ændrede sig
archive-runs = Kørsler
archive-from-to = Startet (UTC)
archive-since = Ændringer tæller efter
archive-changed = { $changed_n ->
    [0] Der blev ikke fundet noget niveauskift i { $all } krav.
   *[other] Niveauet ændrede sig for { $changed } af { $all } krav.
}
archive-few-runs = Intet krav har kørsler nok til at lede efter ændringer: højst { $have }, og der skal mindst { $needed } til.
archive-none-counts = { $kind ->
    [trials] { $trials_n ->
        [one] Den eneste kørsel er en prøvekørsel (lavet med `--for`)
       *[other] Alle { $trials } kørsler er prøvekørsler (lavet med `--for`)
    }
    [invalid] { $invalid_n ->
        [one] Den eneste kørsel er ugyldig
       *[other] Alle { $invalid } kørsler er ugyldige
    }
   *[both] Af { $all } kørsler er { $trials } { $trials_n ->
        [one] en prøvekørsel
       *[other] prøvekørsler
    } (lavet med `--for`), og { $invalid } { $invalid_n ->
        [one] ugyldig
       *[other] ugyldige
    }
}, og sådanne kørsler tæller ikke med i en historik: { $kind ->
    [trials] en forkortet kørsel beviser intet om en hel. Lav hele kørsler: `loadproof run STUDIE`, uden `--for`.
    [invalid] en ugyldig kørsel har ingen vurderinger. Dens rapport siger, hvad der gjorde den ugyldig; ret det, og kør igen: `loadproof run STUDIE`.
   *[both] en forkortet kørsel beviser intet om en hel, og en ugyldig kørsel har ingen vurderinger. Lav hele kørsler: `loadproof run STUDIE`, uden `--for`. Rapporten om en ugyldig kørsel siger, hvad der gjorde den ugyldig.
} Der skal mindst { $fewest } kørsler til for at lede efter ændringer.
archive-worse = { $count_n ->
    [one] Ét krav
   *[other] { $count } krav
} er blevet dårligere siden { $since }: { $which }.
archive-not-worse = For intet krav er det påvist, at det er blevet dårligere siden { $since }, over { $runs } { $runs_n ->
    [one] kørsel
   *[other] kørsler
}.
archive-too-few = Der er for få kørsler til at afgøre, om { $which } er blevet dårligere siden { $since }: der kræves mindst { $more_n ->
    [one] én kørsel
   *[other] { $more } kørsler
} mere.
archive-untold = For få kørsler til at afgøre: { $which }.
archive-no-direction = Intet krav i den nyeste kørsel har en øvre eller nedre grænse, så det kan ikke siges, at noget er blevet dårligere.
archive-method = En ændring er et niveauskift på 5 % eller mere, som tilfældet forklarer i højst 3 % af sådanne historikker, hvor kørsler gerne må ligne dem før; alle krav under samme opstilling testes samlet. Årsagen bør findes i det, der ændrede sig mellem niveauets første kørsel og kørslen før.
archive-setting = Opstilling
archive-setting-in-text = opstilling
archive-last = Nyeste værdi
archive-col-since = Ændret med kørsel
archive-state = Tilstand
archive-table = Krav over kørslerne med deres nyeste ændring
archive-note = p er sandsynligheden for et så stort skift et sted i en historik på ét niveau.
archive-few = for få kørsler: { $have } af { $needed }
archive-few-after = for få kørsler efter basis: { $have } af { $needed }
archive-by-verdict = kun afgørelser
archive-tendency = { $tendency ->
    [worse] dårligere
    [better] bedre
   *[none] ingen ændring fundet
}
archive-figures = Kørsel for kørsel
archive-verdicts = Kun afgørelser
archive-verdicts-table = Krav uden øvre eller nedre grænse
archive-verdict-since = Uændret siden kørsel
archive-apart = Holdt adskilt
archive-settings = Kørslernes opstillinger; kun kørsler med samme opstilling står i samme række
archive-newest = den nyeste kørsels
archive-differs = Afviger fra den nyeste kørsel i
archive-why-column = Grund
archive-left-out = Kørsler og mapper, der ikke indgår i nogen række
archive-why = { $why ->
    [trial] en prøve: faserne er forkortet
   *[invalid] kørslen er ugyldig
}
archive-more = { $more } mere
archive-not-read = Yderligere { $folders } mapper blev ikke læst.
archive-before-base = før basis
archive-limit = grænse
archive-from-zero = fra nul
build-report = Kørsel { $run }. Hele rapporten: { $report }
build-run = Kørsel { $run }.
build-more = { $left_n ->
    [one] en mere i rapporten
   *[other] { $left } flere i rapporten
}
build-validity = Målingen er { $word }
build-note = { $place }: { $rule }. Målt { $measured }, grænse { $limit }. { $why }
build-same = samme grund
