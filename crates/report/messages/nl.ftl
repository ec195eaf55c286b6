# De Nederlandse catalogus. Hele zinnen; grootheden komen geschreven binnen, met hun eenheid.
# Een aantal staat een tweede keer als getal onder zijn naam met `_n`, voor de meervoudsvormen.

## Page

page-skip = Naar het rapport
page-brand = testrapport performance
page-theme = Licht of donker
page-contents = Inhoud
page-hint = Sleep langs de tijdas om in te zoomen, dubbelklik om uit te zoomen. Klik op een naam naast een lijn om die te verbergen. Met het toetsenbord: pijlen, + en −.
page-footer-runs = Door loadproof gemaakt uit niets anders dan het bewijsmateriaal van de runs op deze pagina: hetzelfde bewijsmateriaal en dezelfde versie geven dezelfde bytes. Het JSON-bestand naast deze pagina bevat hetzelfde voor programma’s.
page-footer = Door loadproof gemaakt uit niets anders dan het bewijsmateriaal van deze run: hetzelfde bewijsmateriaal, dezelfde studie en dezelfde versie geven byte voor byte hetzelfde rapport. Elke tabel staat ook, met onafgeronde getallen, als CSV-bestand in de map “tables”; “result.json” bevat de oordelen voor programma’s.
page-figure = Figuur
page-observation = Waarneming
page-assessment = Beoordeling
page-numbers = Getekende waarden
page-table = Tabel
page-of-pages = Pagina { $page } van { $pages }
table-thinned = Hier staat één van elke { $stride } rijen; alle rijen staan in { $file }.
folded-title = { $what } ({ $rows_n ->
    [one] één rij
   *[other] { $rows } rijen
})
on-page-only = Alleen op de webpagina; de getallen staan in de map “tables”:

## Words

phase-word = { $phase ->
    [idle] rust
    [ramp] opbouw
    [warm_up] opwarming
    [hold] plateau
    [drain] uitloop
    [recovery] herstel
   *[other] { $phase }
}
verdict-word = { $verdict ->
    [met] voldaan
    [not_met] niet voldaan
    [cannot_tell] niet te bepalen
   *[other] { $verdict }
}
validity-word = { $validity ->
    [valid] geldig
    [questionable] twijfelachtig
    [invalid] ongeldig
   *[other] { $validity }
}
severity-word = { $severity ->
    [must] verplicht
    [should] gewenst
    [informative] informatief
   *[other] { $severity }
}
gravity-word = { $gravity ->
    [info] info
    [notice] opmerking
    [warning] waarschuwing
    [blocker] blokkerend
   *[other] { $gravity }
}
outcome-word = { $outcome ->
    [ok] geslaagd
    [failed] mislukt
    [all] alle
   *[other] { $outcome }
}
book-word = { $book ->
    [intended] gepland
    [started] gestart
    [dropped] vervallen
    [completed] voltooid
    [failed] mislukt
    [aborted] afgebroken
    [open] nog open
   *[other] { $book }
}
class-word = { $class ->
    [refused] geweigerd
    [reset] verbinding verbroken
    [timeout] time-out
    [partial] onvolledig antwoord
    [status] verkeerde status
    [wrong] verkeerd antwoord
    [fault] foutbericht
    [missing] ontbreekt
    [late] te laat
    [duplicate] dubbel
    [unordered] niet op volgorde
    [bad_study] fout in de studie
    [no_resource] generator zonder middelen
    [aborted] afgekapt
    [dropped] nooit gestart
   *[other] { $class }
}
side-word = { $side ->
    [target] netwerk of systeem
    [study] studie
    [generator] generator
    [stop] einde van de run
   *[other] { $side }
}
cpu-part = { $part ->
    [user] user
    [system] system
    [wait] I/O-wacht
    [steal] afgestaan
   *[other] { $part }
}
percentile-name = p{ $percentile }
exact = exact
measured-too-short = te kort om door te rekenen
measured-hourly = { $hourly } per uur
signs-planned = geëindigd, van { $planned } gepland
signs-others = { $others_n ->
    [one] en in één andere stap
   *[other] en in { $others } andere stappen
}
interval = { $low } tot { $high }
places = { $count } plaatsen, { $first } tot { $last }
worst-of = slechtste van { $count } plaatsen: { $list }
any-of = één plaats van elk scenario is genoeg; van { $count } plaatsen: { $list }
worst-of-same = slechtste van { $count } plaatsen, alle { $verdict ->
    [met] voldaan
    [not_met] niet voldaan
   *[other] niet te bepalen
}
in-all = samen
no-interval = geen interval
all-steps = Alle stappen
unchanged = ongewijzigd
used-yes = ja
used-no = nee
identified-yes = gecontroleerd vóór de belasting
identified-no = niet de verwachte
planned-length = gepland { $planned }
code-without-args = { $code }.
code-with-args = { $code }: { $list }.

## Title block

title-field = { $field ->
    [organisation] Organisatie
    [address] Adres
    [contact] Contact
    [version] Rapportversie
    [status] Status
    [date] Datum
    [readers] Lezers
    [history] Documenthistorie
    [distribution] Verspreiding
    [changes] Wijzigingen sinds het vorige rapport
   *[other] { $field }
}
title-study = Studie
title-run = Run
title-started = Begonnen
title-ended = Geëindigd
title-no-end = niet vastgelegd
title-made-by = Gemeten met
title-study-hash = Studie, SHA-256
title-fingerprint = Vingerafdruk van studie en gegevens
title-measurement = Meting
history-version = Versie
history-date = Datum
history-author = Auteur
history-changes = Wijzigingen
mark-trial = Proefrun
mark-trial-text = De studie is ingekort tot ongeveer { $asked } (fasen en wachttijden tot { $factor } van hun lengte). Snelheden, gebruikers en grenswaarden zijn die van de studie; een volledige run kan iets anders laten zien.
mark-killed = Afgebroken van buiten
mark-killed-text = De run is niet vanzelf geëindigd: het proces is beëindigd, of de machine viel uit. Het rapport gaat over wat tot dan toe was vastgelegd.
mark-aborted = Afgebroken
mark-aborted-text = Een stopregel van de studie beëindigde de run voordat het plan was uitgevoerd: { $text }.
mark-interrupted = Onderbroken
mark-interrupted-text = De run is met de hand gestopt voordat het plan was uitgevoerd. { $text }
mark-generator = Generator uitgevallen
mark-generator-text = De belastinggenerator kon niet verder. { $text }
mark-target = Systeem onbruikbaar
mark-target-text = Het geteste systeem werd vóór het einde onbruikbaar. { $text }
mark-altered = Gewijzigd bewijsmateriaal
mark-altered-text = Bewijsmateriaal ontbreekt, is onleesbaar of is gewijzigd nadat het was verzegeld: { $files }.
mark-torn = Beschadigd bewijsmateriaal
mark-torn-text = Een deel van de opname is verloren gegaan en telt niet mee. { $damage }

## Management summary

summary-title = Managementsamenvatting
bottom-invalid = De meting is ongeldig en zegt dus niets over het systeem: van geen enkele eis is aangetoond dat eraan is voldaan of niet is voldaan.
bottom-partly-invalid = De meting is verstoord. { $rest_n ->
    [0] Alle { $all } oordelen over verplichte eisen blijven staan
   *[other] Van { $all } oordelen over verplichte eisen blijven er { $stand } staan
}, omdat de verstoring ze niet kan hebben veranderd: { $not_met_n ->
    [0] { $met_n ->
        [one] het is “voldaan”
       *[other] alle “voldaan”
    }
   *[other] { $met } voldaan, { $not_met } niet voldaan
}.
bottom-nothing = De studie stelt geen eisen, dus er wordt niets beoordeeld; de cijfers beschrijven de run.
bottom-no-must = Geen eis van de studie is als verplicht aangemerkt; de oordelen hieronder beslissen op zichzelf niets.
bottom-met = { $all_n ->
    [one] Aan de enige verplichte eis is voldaan.
   *[other] Aan alle { $all } verplichte eisen is voldaan.
}
bottom-open = { $all_n ->
    [one] Of aan de enige verplichte eis is voldaan, is met deze run niet te bepalen
   *[other] Van de { $all } verplichte eisen is aan { $met_n ->
        [0] geen enkele aantoonbaar voldaan
       *[other] { $met } voldaan
    }; van { $open } is dat met deze run niet te bepalen
}.
bottom-not-met = { $all_n ->
    [one] Aan de enige verplichte eis is niet voldaan
   *[other] Van de { $all } verplichte eisen is aan { $not_met } niet voldaan en aan { $met_n ->
        [0] geen enkele
       *[other] { $met }
    } wel
}{ $open_n ->
    [0] { "" }
   *[other] ; van { $open } is het niet te bepalen
}.
bottom-verdicts = De verplichte eisen zijn op { $all } plaatsen (stappen of delen daarvan) beoordeeld: { $met } keer “voldaan”, { $not_met } keer “niet voldaan”, { $open } keer “niet te bepalen”.
bottom-marks = Voorbehoud bij deze run: { $marks }.
validity-text = { $validity ->
    [valid] Alle { $signs } geldigheidscontroles zijn geslaagd. De oordelen gelden zoals ze hier staan.
    [questionable] De meting is verstoord. Oordelen die de verstoring niet kan hebben omgekeerd, blijven staan; elk ander “voldaan” wordt “niet te bepalen”.
   *[other] De meting is op de hier genoemde plaatsen verstoord door iets anders dan het geteste systeem. Alleen oordelen die dat niet kan hebben omgekeerd, worden gegeven.
}
validity-more = en nog { $left }, in de tabel met geldigheidscontroles
table-verdicts = Eisen en oordelen
table-verdicts-each = Oordelen op alle plaatsen
note-verdicts = Onder een gemeten waarde staat haar interval. Dat is een 90%-interval: een oordeel hangt van één van de twee uiteinden af, en elk uiteinde zit er in 5% van zulke runs naast. De tabellen met responstijden geven 95%-intervallen, die iets breder zijn. “Exact” staat er als elke aanroep is geteld en niets is geschat. “Waar” is scenario/stap.
note-verdicts-worst = Een eis die op meer plaatsen is beoordeeld, heeft één rij: die van de slechtste plaats. De oordelen van alle plaatsen staan in een eigen tabel.
note-verdicts-any = Waar één plaats van elk scenario genoeg is, staat de beste plaats van een scenario voor de andere.
table-glance = Beoordeelde stappen in één oogopslag
note-glance = Tijden gelden voor geslaagde aanroepen. “Aanroepen” telt alle die zijn geëindigd; “Mislukt” is het aandeel daarvan. Intervallen staan in de hoofdstukken per scenario.
note-glance-beyond = Voorbij een grens betekent ✗ dat daar niet aan de eis is voldaan, en ? dat niet te bepalen is of eraan is voldaan.
note-glance-left = { $left_n ->
    [one] Eén volgende rij staat in het hoofdstuk van haar scenario.
   *[other] { $left } volgende rijen staan in de hoofdstukken per scenario.
}
table-workloads = Tijden van elk verzoek per werklast, met de verandering ten opzichte van de werklast waarmee is vergeleken
note-workloads = Onder een waarde staat de verandering ten opzichte van de vetgedrukte werklast erboven, als verschil waar ze meer dan tienvoudig is. ≠ is een aangetoond verschil, = aangetoonde gelijkheid, ? geen van beide, × niet vergelijkbaar; intervallen en redenen staan in het hoofdstuk met vergelijkingen. “≥” is een ondergrens: aanroepen werden bij de time-out afgebroken.
workload-calls = { $count_n ->
    [one] uit één aanroep
   *[other] elk uit { $count } aanroepen of meer
}
note-workload-failed = { $sign } { $share } van de { $count } aanroepen van { $exchange } in { $scenario } mislukte; de tijden zijn die van de geslaagde.
key-finding-also = { $scope }. Ook { $places }
also-in = { $text } Ook in { $places }.
and-more = { $left_n ->
    [one] { " " }en nog één
   *[other] { " " }en nog { $left }
}
measure-word = { $measure ->
    [service] servicetijd
   *[response] responstijd
}
key-findings-title = Belangrijkste bevindingen
key-findings-none = Geen van de regels die zoeken naar tegenspraak, verstoringen en misleidende cijfers heeft iets gevonden.
key-findings-more = { $left_n ->
    [one] Nog één bevinding staat in het hoofdstuk van haar scenario.
   *[other] Nog { $left } bevindingen staan in de hoofdstukken van hun scenario’s.
}
author-title = Van de auteur
author-comment = Opmerking bij { $place }: { $text }
author-expectation = Verwacht, en buiten het oordeel: { $text }
author-link = { $name }: { $target }
author-remark = Van de auteur: { $text }
not-shown-title = Wat deze test niet laat zien
not-shown-left-out = Niet beproefd: { $text }
not-shown-differs = Anders dan in productie: { $text }
not-shown-trial = Het is een ingekorte proefrun: trends, lekken en zeldzame gebeurtenissen vragen om de volle lengte.
not-shown-length = De beoordeelde delen duurden samen { $length }. Wat zeldzamer voorkomt of zich langzamer opbouwt, valt daarbuiten.
not-shown-single-run = Het is één run. Hoezeer resultaten van run tot run verschillen, zit in geen enkel interval van dit rapport.
not-shown-repetitions = Het is één run, waarin alles { $times } keer is uitgevoerd. Dat laat zien hoezeer resultaten binnen een dag verschillen, niet van dag tot dag.
not-shown-shared-machine = Belastinggenerator en systeem deelden een machine en hielden elkaar dus op; de prestaties op afzonderlijke machines zijn niet gemeten.
not-shown-other-programs = Of andere programma’s op de machine de test hebben vertraagd, is onbekend: voor die controle zijn metingen van zowel de machine als een proces van het systeem nodig (`host` en `process`).
not-shown-features = Van het protocol niet beproefd:
not-shown-closed = Een gesloten belasting wacht op elk antwoord en vraagt dus nooit meer dan het systeem geeft; zij laat niet zien wat er gebeurt als de vraag de capaciteit overstijgt.
not-shown-cannot-tell = { $open_n ->
    [one] Eén oordeel luidt “niet te bepalen”; de reden staat erbij.
   *[other] { $open } oordelen, over { $requirements_n ->
        [one] één eis
       *[other] { $requirements } eisen
    }, luiden “niet te bepalen”; de redenen staan erbij.
}

## Introduction and set-up

introduction-title = Inleiding
introduction-purpose = Doel
introduction-no-purpose = De studie noemt geen doel (“about”).
introduction-scope = Reikwijdte
introduction-what = Getest is het systeem “{ $system }”{ $instances_n ->
    [0] { "" }
    [one] { " " }met één instantie
   *[other] { " " }met { $instances } instanties
}{ $shared ->
    [yes] , op de machine die ook de belasting opwekte
   *[no] { "" }
}. { $ran_n ->
    [one] Er is één scenario uitgevoerd
   *[other] Er zijn { $ran } scenario’s uitgevoerd
}{ $left_n ->
    [0] { "" }
   *[other] { " " }van de { $scenarios } die waren gepland
}, met { $exchanges_n ->
    [one] één soort verzoek
   *[other] { $exchanges } soorten verzoeken
}: { $names }.
introduction-load = De belasting: { $loads }.
introduction-work = Een verzoek laat het systeem dit doen: { $text }
introduction-criteria = Succescriteria
introduction-judged = Het systeem wordt beoordeeld op { $all_n ->
    [one] één eis
   *[other] { $all } eisen
}; { $rest_n ->
    [0] { $all_n ->
        [one] die is verplicht
       *[other] alle zijn verplicht
    }
   *[other] { $must_n ->
        [0] geen daarvan is verplicht
        [one] één daarvan is verplicht
       *[other] { $must } daarvan zijn verplicht
    }
}{ $mixed_n ->
    [0] { "" }
    [one] { $all_n ->
        [one] , maar niet in elk scenario
       *[other] , één ervan niet in elk scenario
    }
   *[other] , { $mixed } ervan niet in elk scenario
}.
introduction-reading = Leeswijzer
table-criteria = Eisen zoals ze zijn beoordeeld
note-criteria = De regel staat er woordelijk zoals hij is beoordeeld; “Plaatsen” is het aantal stappen, of delen daarvan zoals berichtstromen, waarin dat is gebeurd.
note-criteria-search = In een zoektocht is een eis verplicht in de poging die het resultaat is; in de andere pogingen is hij informatief.
reading-validity = Geldigheid gaat vóór oordelen: een verstoorde meting zegt niets over het systeem.
reading-figures = Elke figuur heeft een waarneming (wat de gegevens laten zien) en een beoordeling (wat dat betekent voor de vraag van de studie).
reading-numbers = Waarden hebben drie significante cijfers, en een interval evenveel decimalen als zijn waarde. “–” betekent dat een waarde ontbreekt, met de reden erbij; “≥” dat zij een ondergrens is; “exact” dat zij is geteld en niet geschat.
reading-findings = Bevindingen zijn genummerd, zoals F1; wat op een bevinding berust, noemt haar nummer, en de aanbevelingen volgen eruit.
reading-author = Wat de auteur van de studie schreef, is als zodanig gemarkeerd. Al het andere is gemeten, vastgelegd of berekend.
reading-tables = Elke tabel en de getallen van elke figuur staan onafgerond in een CSV-bestand in de map “tables”.
setup-title = Testopzet
setup-system = Systeem, generator en monitors
setup-instances = { $instances_n ->
    [one] Het systeem is één instantie: { $names }.
   *[other] Het systeem bestaat uit { $instances } instanties: { $names }.
}
setup-generator-shared = De belastinggenerator draaide met { $threads } { $threads_n ->
    [one] thread
   *[other] threads
} op dezelfde machine als het systeem; de geldigheidscontroles laten zien of hij de belasting aankon.
setup-generator-apart = De belastinggenerator draaide met { $threads } { $threads_n ->
    [one] thread
   *[other] threads
} op een andere machine dan het systeem; de geldigheidscontroles laten zien of hij de belasting aankon.
table-nodes = Nodes
setup-nodes = Belastingsnodes
setup-foreseen = Voorzien vóór de belasting
setup-foreseen-intro = Vóór de belasting stond op het scherm, in het Engels, wat haar kon verstoren:
setup-foreseen-more = en nog { $left }, in run.json
col-load-node = Node
col-machine = Machine
col-node-cores = Cores
col-node-threads = Load threads
col-node-version = Versie
col-node-clock = Klok bekend tot op
col-node-tried = Vooraf getest
note-nodes = Samen verstuurden deze processen de belasting, verdeeld op nummer; een node zonder load threads hield alleen zijn machine in het oog. “Klok bekend tot op” geeft aan hoeveel de afwijking van de klok van een node ten opzichte van die van de run onjuist kan zijn; de tijden van aanroepen hangen daar niet van af.
note-nodes-tried = “Vooraf getest” is het hoogste tempo waarin de node vóór de belasting op tijd verzond naar een doel dat niets doet; geen node werd zwaarder getest dan de studie vroeg, tenzij het plafond werd gezocht.
trial-order = de volgorde is één keer uitgevoerd in plaats van { $times } keer
trial-repeat = scenario’s zijn één keer uitgevoerd in plaats van hoogstens { $times } keer
trial-hold = scenario “{ $scenario }”: een plateau duurt ten minste { $least }, dus de proefrun duurt langer
trial-counts = scenario “{ $scenario }” telt iteraties waarvan de duur onbekend is; die aantallen blijven gelijk
trial-fewer = scenario “{ $scenario }”: { $fewer } in plaats van { $count } iteraties
ended-rule = aan de stopregel “{ $rule }” werd voldaan
ended-drained = gestopt door de operator; wat open stond, kon eindigen
ended-at-once = onmiddellijk gestopt door de operator
ended-node = de load node { $node } viel weg
setup-watched = Monitors: { $names }.
table-machine = De machine in het kort
note-machine = Door de monitors vastgelegd aan het begin; de bijlage over de omgeving bevat alle feiten.
setup-differs = Verschillen met productie
setup-no-differs = De studie noemt geen verschil met productie (“differs”). Dat bewijst niet dat er geen is.
setup-data = Gegevens
setup-data-set = { $name }: { $rows } { $rows_n ->
    [one] rij
   *[other] rijen
}.
setup-stored = Wat was opgeslagen
table-stored = Opgeslagen aan het begin en aan het eind van elk scenario
col-stored-start = Aan het begin
col-stored-end = Aan het eind
note-stored = Zoals de monitors het aflazen: voor het laatst voordat het scenario begon, en voor het laatst voordat het volgende begon, of aan het einde van de run. Een scenario waarin een niveau bleef waar het was, heeft er geen rij van.

## Test runs

table-runs = Testruns
note-runs = Een rij is een beoordeelde stap. De belasting is wat de studie vroeg; wat is gerealiseerd staat verderop. “Tijd in de run” is wanneer de stap begon.
load-rate = { $asked } { $asked_n ->
    [one] iteratie/s
   *[other] iteraties/s
}
load-users = { $users } { $users_n ->
    [one] gebruiker
   *[other] gebruikers
}

## Load

load-title = Belasting: gepland en gerealiseerd
load-intro = Snelheden en boekhouding tellen iteraties. Wat was gepland, staat naast wat is gestart, en alles wat was gepland, is verantwoord.
load-nothing = Geen enkele stap van het plan heeft plaatsgevonden, dus er is niets te tonen.
load-not-run = Scenario { $scenario } was gepland en heeft niet plaatsgevonden.
model-open = Open belasting: iteraties starten op geplande momenten, hoe traag de antwoorden ook zijn. De starts { $spacing ->
    [poisson] volgen een Poissonproces
   *[even] zijn gelijkmatig verdeeld
}.
model-closed = Gesloten belasting: { $users } virtuele { $users_n ->
    [one] gebruiker voert de ene iteratie na de andere uit en wacht
   *[other] gebruikers voeren de ene iteratie na de andere uit en wachten
} steeds op antwoord. Geen start is gepland, dus de tijden zijn servicetijden.
model-closed-stages = Gesloten belasting in etappes: tot { $users } virtuele gebruikers voeren de ene iteratie na de andere uit en wachten steeds op antwoord; een gebruiker die weggaat, maakt de lopende iteratie af. Geen start is gepland, dus de tijden zijn servicetijden.
model-held = Open gehouden belasting: { $connections } { $connections_n ->
    [one] verbinding blijft
   *[other] verbindingen blijven
 } open. Op elke verbinding is om de { $every } een bericht aan de beurt, gelijkmatig verdeeld en nooit gelijk op met de andere, of de verbinding er nog is of niet: wat een verbroken verbinding niet kon versturen, telt als mislukt.
model-held-listening = Open gehouden belasting: { $connections } { $connections_n ->
    [one] verbinding blijft open en luistert
   *[other] verbindingen blijven open en luisteren
 }.
model-held-owed = Open gehouden belasting: { $connections } { $connections_n ->
    [one] verbinding blijft open en luistert
   *[other] verbindingen blijven open en luisteren
 }. Op elke verbinding hoort om de { $every } een gebeurtenis te komen, of de verbinding er nog is of niet: wat op een verbroken verbinding niet kon komen, telt als mislukt.
model-fan-out = Fan-outbelasting: { $subscribers } { $subscribers_n ->
    [one] abonnee
   *[other] abonnees
 }. Om de { $every } wordt een gebeurtenis gepubliceerd; elke abonnee wiens tijd daarvoor al was gekomen, heeft er recht op, wat er ook van zijn abonnement is geworden.
model-think = Eén iteratie bevat { $think } denktijd.
model-think-mean = Eén iteratie bevat gemiddeld { $think } denktijd.
model-think-more = Voorwaarden voegen hoogstens { $more } denktijd toe.
model-pacing = Een gebruiker begint hoogstens elke { $pacing } een iteratie.
model-parallel = Een iteratie doet hoogstens { $most } aanroepen tegelijk, elk over een eigen verbinding.
model-bound = Hoogstens { $bound } verbindingen zijn tegelijk in gebruik; een start die erop moet wachten, wacht met lopende klok.
model-unknown = De kop van de run beschrijft de belasting van dit scenario niet.
table-steps = Stappen van { $scenario }: gepland en gerealiseerd
note-steps = “Gevraagd” is wat het plan voorschreef, “Gerealiseerd” wat is gestart, “Doorvoer” wat is geslaagd: iteraties per seconde. Tijden tellen vanaf het begin van het scenario.
table-books = Boekhouding van { $scenario }: waar elke iteratie bleef
note-books = Gepland = gestart + vervallen; gestart = voltooid + mislukt + afgebroken + nog open. Alle rijen kloppen.
note-books-unbalanced = Gepland hoort gelijk te zijn aan gestart + vervallen, en gestart aan voltooid + mislukt + afgebroken + nog open. Ten minste één rij klopt niet: de cijfers van dit scenario zijn onbetrouwbaar.
table-assumptions = Aannames van het belastingprofiel

fig-plan-caption = Belasting gepland en gestart, { $scenario }
fig-plan-seen = In het beoordeelde deel { $intended_n ->
    [one] moest één iteratie
   *[other] moesten { $intended } iteraties
} starten; { $dropped_n ->
    [0] alle { $started } zijn gestart.
   *[other] { $started } zijn gestart en { $dropped } nooit.
}
fig-plan-seen-closed = In het beoordeelde deel { $started_n ->
    [one] is één iteratie
   *[other] zijn { $started } iteraties
} gestart.
fig-plan-means-all = De resultaten gelden dus voor de belasting die was gevraagd.
fig-plan-means-short = { $share } van de geplande starts bleef uit: de resultaten gelden voor een kleinere belasting dan was gevraagd.
fig-plan-means-closed = Bij een gesloten belasting volgt de snelheid uit hoe snel de antwoorden kwamen. Zij is een uitkomst, geen plan.
fig-whole-seconds = Geteld per seconde; onvolledige seconden aan het begin en het einde van het scenario zijn weggelaten.

## Shape of a distribution

table-shape = Vorm van de distributie van { $what }, { $scenario }
col-humps = Toppen
col-tail = p99 ÷ mediaan
col-extreme = maximum ÷ p99
col-stalled = Seconden met haperingen
col-shape = Uitspraak
shape-irregular = zie bevinding { $finding }
shape-tail = lange staart
shape-regular = één top, geen lange staart, geen haperingen
shape-too-few = Een plateau heeft minder dan { $needed } geslaagde aanroepen, dus over de vorm van de distributie wordt niets gezegd.
note-shape = Een lange staart is een p99 van tien keer de mediaan of meer; een seconde hapert als haar gemiddelde tijd meer dan drie keer de gebruikelijke is.

## Stop rules

stops-none = Geen stopregel van de studie had dit scenario voortijdig kunnen beëindigen.
stops-unread = De studie is niet leesbaar, dus haar stopregels staan hier niet. Eén ervan trad in werking: { $text }
table-stops = Stopregels van { $scenario } en hun uitkomst
col-stop-rule = Regel
col-did = Uitkomst
stop-held = trad in werking op { $at } en beëindigde de run
stop-value = waarde { $value }
stop-value-of = waarde { $value }, van “{ $rule }”
stop-never = nooit in werking getreden
note-stops = Een regel wordt elke seconde getoetst over de tijd die hij noemt, vanaf het begin van de belasting; de eerste die in werking treedt, beëindigt de run meteen.

## Axes and labels

axis-time = Tijd sinds het begin van het scenario (min:s)
axis-iterations = Gestarte iteraties per seconde (/s)
axis-ended = Geëindigde iteraties per seconde (/s)
axis-times = { $measure ->
    [service] Servicetijd (ms)
   *[response] Responstijd (ms)
}
axis-times-ms = { $measure ->
    [service] Servicetijd (ms)
   *[response] Responstijd (ms)
}
axis-percentile = Percentiel; elke volgende negen neemt evenveel ruimte in
axis-share-below = Aanroepen die hoogstens zo lang duurden (%)
axis-share-calls = Aandeel van de aanroepen (%)
axis-failures = Mislukt per { $width }
axis-cpu = Processortijd (%)
axis-used = Gebruikt van wat de grens toelaat; 100% is de grens zelf
label-planned = gepland
label-started = gestart
label-ended-well = geslaagd
label-failed = mislukt
label-max = maximum
label-service = service
label-measure = { $measure ->
    [service] service
   *[response] respons
}
label-limit = grens
label-limit-service = { $limit } (servicetijd)

## Verdict strip

fig-strip-caption = Hoeveel van elke grens is gebruikt
fig-strip-seen = Alle oordelen samen, ook over eisen die niet verplicht zijn: { $met } voldaan, { $not_met } niet voldaan, { $cannot_tell } niet te bepalen.
fig-strip-means-over = Het verst over haar grens gaat { $requirement } in { $scope }: { $part } van wat is toegestaan.
fig-strip-means-under = Het dichtst bij haar grens komt { $requirement } in { $scope }, met { $part } van wat is toegestaan.
fig-strip-means-none = Geen eis heeft een waarde die tegen haar grens kan worden gezet.
fig-strip-reading = De stip is de gemeten waarde, de balk haar interval. Bovengrenzen tonen waarde ÷ grens, ondergrenzen grens ÷ waarde, en aandelen van aanroepen hoeveel van de toegestane uitzonderingen is gebruikt. Boven 200% staat het getal bij een pijl.
fig-strip-reading-cells = Een cel bevat de oordelen over een eis in één werklast, met hun aantal als er meer plaatsen of herhalingen zijn: ✗ niet voldaan, ? niet te bepalen, ✓ voldaan. Onder de cellen is het streepje de grens; getekend is de plaats die er het meest van gebruikte.

## Definitions

definitions-title = Definities
term-iteration = Iteratie
    .means = Eén uitvoering van de stappen van het scenario, van begin tot eind.
term-exchange = Uitwisseling en etappe
    .means = Een verzoek en wat eruit volgt. Een gewoon verzoek heeft één etappe, zijn antwoord; een uitwisseling die in delen wordt beantwoord heeft er meer, elk met een eigen tijd.
term-open = Open belasting
    .means = Iteraties starten volgens plan, hoe traag de antwoorden ook zijn. Het systeem kan de vraag niet afremmen.
term-closed = Gesloten belasting
    .means = Een vast aantal virtuele gebruikers, die elk op antwoord wachten voordat zij verdergaan. Wordt het systeem trager, dan wordt de vraag kleiner.
term-intended = Geplande start
    .means = Het moment waarop een iteratie volgens het plan begint.
term-response = Responstijd
    .means = Van de geplande start tot het einde. Al het wachten zit erin, ook dat op een vrije verbinding. Bestaat alleen bij een open belasting.
term-service = Servicetijd
    .means = Van de werkelijke start tot het einde. Bij een gesloten belasting is er geen andere tijd: het wachten dat een traag antwoord anderen bezorgt, zit er niet in.
term-lateness = Startvertraging
    .means = Van het moment waarop een start mogelijk was tot de start zelf: de eigen vertraging van de belastinggenerator, die iets zegt over de meting en niet over het systeem.
term-throughput = Doorvoer
    .means = Geslaagde iteraties per seconde.
term-percentile = Percentiel
    .means = p95 is de kleinste vastgelegde tijd die 95% van de aanroepen niet overschreed (nearest rank, Hyndman–Fan type 1): een tijd die werkelijk is voorgekomen, op de 0,1% klassebreedte van het histogram na. Percentielen worden uit samengevoegde histogrammen gelezen en nooit gemiddeld.
term-interval = Interval
    .means = Het bereik dat in 95% van zulke metingen de ware waarde bevat; bij een oordeel zit elk uiteinde er op zichzelf in 5% van de metingen naast. Het dekt het toeval binnen deze run, niet de verschillen tussen runs.
term-design-effect = Design-effect
    .means = Hoeveel aanroepen evenveel zeggen als één onafhankelijke aanroep, omdat aanroepen kort na elkaar op elkaar lijken. Geschat uit hun spreiding in de tijd, aan de veilige kant; intervallen worden ermee verbreed.
term-phases = Fasen
    .means = Rust, opbouw, opwarming, plateau, uitloop, herstel. Alleen het plateau wordt beoordeeld, tenzij een eis anders zegt.
term-outcomes = Geslaagd, mislukt
    .means = Een aanroep is geslaagd als het antwoord op tijd kwam en elke controle klopte. Als mislukt tellen: geweigerd, verbinding verbroken, time-out, onvolledig antwoord, verkeerde status, verkeerd antwoord, foutbericht, ontbreekt. Fouten van de studie of de generator worden apart geteld, als geslaagd noch als mislukt.
term-validity = Geldigheid
    .means = Of de meting betrouwbaar genoeg is om te beoordelen: geldig, twijfelachtig of ongeldig. Geldigheid gaat vóór elk oordeel.
term-verdicts = Oordelen
    .means = Voldaan: de run laat zien dat de eis wordt gehaald. Niet voldaan: de run laat zien dat de eis niet wordt gehaald. Niet te bepalen: de run geeft geen uitsluitsel, en de reden staat erbij.
term-finding = Bevinding
    .means = Wat een regel in de gegevens vond, met de getallen. Figuren en tabellen verwijzen naar het nummer van een bevinding, zoals F1.

## Results

scenario-word = { $scenario ->
    [nominal] nominale belasting
    [peak] piekbelasting
   *[other] { $scenario }
}
load-scenario-title = Loadtest { $title } ({ $scenario })
results-title = Meetresultaten: { $scenario }
results-intro = { $measure ->
    [service] Dit is een gesloten belasting: alle tijden in dit hoofdstuk zijn servicetijden, gemeten vanaf de werkelijke start.
   *[response] Tijden in dit hoofdstuk zijn responstijden, gemeten vanaf de geplande start, tenzij er servicetijd staat.
}
verdicts-title = Oordelen en hun redenen
verdicts-none = Op dit scenario is geen eis van toepassing.
table-store-limit = Waarvan de grens in { $scenario } een grens is
note-store-limit = Zoals vastgelegd bij het systeem zelf. De grens geldt voor deze opslag op deze schijf, met dit geheugen en deze indexen; met andere ligt zij elders.
store-limit-missing = Niet vastgelegd: { $what }. Zonder dat kan niemand zeggen waarvan de grens nog meer afhangt. `process` volgt de instanties, `sql` de database.
store-limit-disk = de schijf
store-limit-memory = het eigen geheugen van de opslag
store-limit-indexes = de indexen
table-verdicts-full = Oordelen in { $scenario }
table-verdicts-full-each = Oordelen op alle plaatsen van { $scenario }
design-effect-holds = geldt tot { $most }
note-design-effect = Metingen: het aantal aanroepen of metingen waarop de waarde rust. Een design-effect van 4 betekent dat zij evenveel zeggen als een kwart van dat aantal onafhankelijke metingen. “Geldt tot” is het grootste design-effect waarbij het oordeel nog zou gelden; zeldzame storingen die in deze run niet voorkwamen, zouden het groter moeten maken.
times-title = { $measure ->
    [service] Servicetijden
   *[response] Responstijden
}
times-closed = Alleen servicetijden: bij een gesloten belasting is er geen geplande start. Zolang één antwoord traag was, vroeg die gebruiker niets; trage perioden zijn dus ondervertegenwoordigd.
times-no-hold = In dit scenario heeft geen plateau plaatsgevonden, dus er worden geen tijden beoordeeld.
times-judged-from = Stap { $step }: het begin, { $from } lang, wordt niet beoordeeld.
table-transactions = { $measure ->
    [service] Transacties in { $scenario }, servicetijden, beoordeeld deel
   *[response] Transacties in { $scenario }, responstijden, beoordeeld deel
}
note-transactions = Een transactie loopt van het begin van haar eerste aanroep tot het eind van haar laatste, zonder de denktijd ertussen. Ze is geslaagd als al haar aanroepen dat zijn, en anders mislukt in de klasse van de eerste die mislukte. Haar aanroepen staan in de tabellen van uitwisselingen: niets is dubbel geteld.
table-times = { $measure ->
    [service] Servicetijden in { $scenario }, beoordeeld deel
   *[response] Responstijden in { $scenario }, beoordeeld deel
}
note-times = Onder een waarde staat haar 95%-interval; dat van een oordeel dekt 90% en is smaller. { $measure ->
    [service] Alle tijden zijn servicetijden.
   *[response] Alle tijden zijn responstijden.
} Geslaagde, mislukte en alle aanroepen zijn elk een populatie op zich en worden nooit gemengd.
note-few = “–”: te weinig aanroepen voor dit percentiel. Voor een interval met een bovengrens zijn { $p95 } aanroepen nodig bij p95, { $p99 } bij p99 en { $p999 } bij p99,9.
note-no-interval = Een waarde zonder interval: er zijn te weinig onafhankelijke aanroepen om er een te bepalen.
note-bound = “≥”: de waarde is afgekapt op de time-out; de ware waarde is dus minstens zo groot.
throughput-title = Doorvoer
throughput-none = In geen hele seconde van dit scenario is een iteratie geëindigd, dus er is geen doorvoer te tekenen.
leg-title = { $what } in de tijd en als distributie
leg-no-times = In het beoordeelde deel slaagde geen aanroep van { $what }, dus er zijn geen tijden te tekenen.
leg-too-few = { $missing_n ->
    [one] Eén figuur is weggelaten, omdat te weinig aanroepen slaagden om haar te dragen.
   *[other] { $missing } figuren zijn weggelaten, omdat te weinig aanroepen slaagden om ze te dragen.
}
legs-not-drawn = { $left_n ->
    [one] Nog één uitwisseling staat alleen in de tabellen.
   *[other] Nog { $left } uitwisselingen staan alleen in de tabellen.
}
leg-again-title = In de tijd en als distributie
leg-again = De tijden van deze herhaling zijn getekend naast die van { $first }, in het hoofdstuk daarvan. De getallen, per seconde en als distributie, staan in { $files }.
errors-title = Fouten
errors-none = { $how ->
    [nothing] Van geen aanroep van dit scenario is bekend dat hij is geëindigd, dus over fouten valt niets te zeggen.
    [unknown] Uit de opname blijkt niet welke aanroepen van dit scenario zijn mislukt.
    [open] Elke aanroep van dit scenario waarvan het einde bekend is, is geslaagd; sommige waren nog open toen de opname stopte.
   *[all] Elke aanroep van dit scenario is geslaagd.
}
table-classes = Wat niet slaagde in { $scenario }, alle stappen
note-classes = Aandelen zijn van alle aanroepen van die uitwisseling en etappe. Wat voor rekening komt van studie, generator of het einde van de run, telt niet tegen het systeem.
table-samples = Voorbeelden van fouten in { $scenario }
note-samples = Zoals gezien op de lijn, elk één keer, afgekapt op 300 tekens; hoogstens { $most }. Meer staat in het bewijsmateriaal.
samples-none = Er is geen voorbeeld van een fout bewaard.
errors-findings-title = Fouten en bevindingen
findings-title = Bevindingen
findings-none = Geen enkele regel vond iets in dit scenario.
findings-above = { $number_n ->
    [one] Hierboven beschreven:
   *[other] { $number } bevindingen, hierboven beschreven:
}

fig-throughput-caption = Doorvoer in de tijd, { $scenario }
fig-throughput-seen = In het beoordeelde deel slaagde { $rate }; afzonderlijke seconden lagen tussen { $least } en { $greatest }. { $failed_n ->
    [0] Geen iteratie is mislukt.
    [one] Eén iteratie is mislukt.
   *[other] { $failed } iteraties zijn mislukt.
}
fig-throughput-seen-short = In het beoordeelde deel slaagde { $rate }; het bevat geen hele seconde. Mislukt: { $failed }.
fig-throughput-means-all = Alles wat was gevraagd, slaagde: over het beoordeelde deel hoopten zich geen aanroepen op.
fig-throughput-means-carried = Wat slaagde verschilt { $difference } van wat was gevraagd: over het beoordeelde deel hoopten zich geen aanroepen op.
fig-throughput-means-piled-up = In het beoordeelde deel hoopte werk zich op: wat aan het begin kwam, is beantwoord, en van wat later kwam, wachtte steeds meer.
fig-throughput-means-short = { $share } van wat was gevraagd, slaagde niet in het beoordeelde deel: het mislukte, werd niet gestart of stond aan het einde nog open.
fig-throughput-means-closed = Dit is de doorvoer van { $users } gebruikers die op hun antwoorden wachten. Het is geen capaciteit: meer gebruikers kunnen meer geven.
fig-throughput-means-none = Er is niets als snelheid gevraagd, dus er is niets om mee te vergelijken.

fig-over-time-caption = { $measure ->
    [service] Servicetijden van { $what } in de tijd, { $scenario }
   *[response] Responstijden van { $what } in de tijd, { $scenario }
}
fig-over-time-seen = In een gewone beoordeelde seconde is de mediaan { $median }. De traagste aanroep duurde { $greatest }, in de seconde op { $when }.
fig-over-time-seen-none = In geen hele beoordeelde seconde slaagde een aanroep.
fig-over-time-means-no-limit = Geen eis begrenst deze tijden; de figuur laat zien wanneer trage aanroepen voorkwamen.
fig-over-time-means-below = De traagste aanroep van elke beoordeelde seconde blijft onder de grens van { $limit }.
fig-over-time-means-above = In { $above } van { $seconds } beoordeelde seconden ligt ten minste één aanroep boven { $limit }. Of dat meer is dan de eis toelaat, zegt het oordeel over die eis.
fig-over-time-means-none = Over tijden valt niets te zeggen.
fig-over-time-reading = Geslaagde aanroepen, per seconde van hun geplande start; elke lijn is een percentiel van die seconde alleen. Een stip is de traagste aanroep van een seconde.
fig-over-time-reading-limit = Het gearceerde gebied ligt voorbij de grens die een eis stelt.
fig-over-time-reading-window = Geslaagde aanroepen, per seconde van hun geplande start. Een stip is de traagste aanroep van een seconde. Bij ongeveer { $usual } aanroepen per seconde heeft een seconde geen eigen percentiel: lijnen met een tijdsduur naast hun naam gelden voor vensters van die lengte ({ $width }), gelezen uit aantallen per grootteklasse en per seconde van het einde, en kunnen er dus tot 12% naast zitten.
fig-over-time-reading-few = Geslaagde aanroepen per seconde. Een stip is de traagste aanroep van een seconde. Bij ongeveer { $usual } { $usual_n ->
    [one] aanroep
   *[other] aanroepen
} per seconde worden percentielen waar minder dan één aanroep voorbij ligt, niet getekend.
fig-heat-caption = { $measure ->
    [service] Elke aanroep van { $what } naar tijd en servicetijd, { $scenario }
   *[response] Elke aanroep van { $what } naar tijd en responstijd, { $scenario }
}
fig-heat-seen = Acht op de tien van { $count } aanroepen duurden tussen { $low } en { $high }; de traagste duurde { $greatest }.
fig-heat-means-one = De tijden vormen één groep zonder gaten.
fig-heat-means-outliers = De tijden vormen één groep; { $outside_n ->
    [one] één aanroep ligt erbuiten.
   *[other] { $outside } aanroepen liggen erbuiten.
}
fig-heat-means-groups = De tijden vormen { $groups } gescheiden groepen: aanroepen troffen verschillende omstandigheden, en één gemiddelde over alles beschrijft geen van die groepen.
fig-heat-reading = Geslaagde aanroepen, per seconde van hun einde. Een kolom is { $width } breed; hoe donkerder een vakje, hoe groter het deel van de aanroepen in die kolom dat zo lang duurde. Losse trage aanroepen blijven zichtbaar.
fig-curve-caption = { $measure ->
    [service] Percentielen van de servicetijden van { $what }, { $scenario }
   *[response] Percentielen van de responstijden van { $what }, { $scenario }
}
fig-curve-seen = De mediaan is { $median }; { $highest } is { $value }, { $factor } keer zo lang.
fig-curve-means-closed = Dit zijn servicetijden van een gesloten belasting: wat gebruikers zouden hebben gewacht terwijl anderen werden bediend, zit niet in de hoge percentielen.
fig-curve-means-late = Bij p{ $percentile } duurden aanroepen { $response } vanaf hun geplande start en { $service } vanaf hun werkelijke start. Dat verschil is toe te schrijven aan de startvertraging van de generator, bij hetzelfde percentiel { $lateness }.
fig-curve-means-waited = Bij p{ $percentile } duurden aanroepen { $response } vanaf hun geplande start en { $service } vanaf hun werkelijke start: aanroepen wachtten voordat ze konden worden verzonden, en een meting vanaf het verzenden had dat niet gezien.
fig-curve-means-together = Responstijd en servicetijd vallen samen: aanroepen werden verzonden toen het hun tijd was, en wat tijd kostte gebeurde na het verzenden.
fig-curve-reading = De curve stopt waar minder dan { $beyond } aanroepen voorbij liggen. De band is het 95%-interval, waar dat te bepalen is.
fig-ecdf-caption = { $measure ->
    [service] Aandeel aanroepen van { $what } binnen een servicetijd, { $scenario }
   *[response] Aandeel aanroepen van { $what } binnen een responstijd, { $scenario }
}
fig-ecdf-seen = { $share } van { $count } geslaagde aanroepen duurde korter dan { $limit }.
fig-ecdf-means = Een tien procent lagere grens zou door { $low } worden gehaald, een tien procent hogere door { $high }: zo veel maakt de keuze van { $limit } uit.
fig-ecdf-seen-no-limit = Negen op de tien van { $count } geslaagde aanroepen duurden tussen { $low } en { $high }.
fig-ecdf-means-no-limit = Geen eis begrenst deze tijden in dit scenario, dus van deze curve hangt geen oordeel af.
fig-ecdf-reading = Streeplijnen zijn grenzen: de tijd, en het aandeel aanroepen dat daarbinnen moet blijven. De figuur bevat geslaagde aanroepen; eisen kunnen fouten meetellen tegen het aandeel.
fig-ecdf-reading-no-limit = De figuur bevat geslaagde aanroepen.
fig-again-reading = Streeplijnen met #2 en hoger zijn de andere herhalingen van het scenario.
fig-histogram-caption = { $measure ->
    [service] Distributie van de servicetijden van { $what }, { $scenario }
   *[response] Distributie van de responstijden van { $what }, { $scenario }
}
fig-histogram-seen = Tijden van { $low } tot { $high } komen het vaakst voor: { $share } van de aanroepen. Het gemiddelde is { $mean }, de mediaan { $median }.
fig-histogram-means-skewed = Het gemiddelde ligt { $excess } boven de mediaan: trage aanroepen trekken het omhoog, dus percentielen beschrijven deze aanroepen beter dan het gemiddelde.
fig-histogram-means-far = Het gemiddelde is { $factor } keer de mediaan: een deel van de aanroepen was veel trager dan de rest, dus het gemiddelde beschrijft geen van beide.
fig-histogram-means-even = Gemiddelde en mediaan verschillen { $difference }, dus elk van beide beschrijft het midden van deze aanroepen; geen van beide beschrijft de trage.
fig-histogram-reading = Elke staaf is 12% breder dan de vorige: 20 staven per factor tien.
fig-errors-caption = Fouten in de tijd per klasse, { $scenario }
fig-errors-seen = { $failed_n ->
    [one] Eén aanroep is mislukt: { $class }.
   *[other] { $failed } aanroepen zijn mislukt; de meest voorkomende klasse is “{ $class }” met { $count }.
}
fig-errors-means-spread = De fouten zijn verspreid over { $bars } perioden van { $width }: geen enkele verstoring verklaart ze alle.
fig-errors-means-together = Alle fouten eindigden tussen { $from } en { $to }. Zoek naar wat er toen gebeurde of, bij aanroepen met een time-out, één time-out eerder.
fig-errors-means-peak = { $share } van alle fouten valt in { $width } op { $when }: zoek naar wat er toen gebeurde.
fig-errors-reading = Naar de seconde waarin de aanroep eindigde; alle uitwisselingen van het scenario samen.

## System

system-title = Systeemgedrag
system-intro = Wat is bewaakt terwijl de belasting liep. Het beoordeelde deel is wat tussen opwarming en uitloop ligt.
system-flat = Ten hoogste { $part } veranderd en niet getekend: { $list }.
system-nothing = Er is niets bewaakt: de studie noemt geen monitor, of geen enkele gaf een meetwaarde. Wat het systeem begrensde, is niet te bepalen.
system-again = Het verloop van elke reeks van deze herhaling staat in de tabel; de figuren zouden die van { $first } nog eens zijn. Alle meetwaarden staan in de CSV-bestanden.
table-resources-by-workload = Gebruik van middelen per werklast
note-resources-by-workload = Gemiddelde over de beoordeelde delen, alle herhalingen samen, en daaronder de hoogste meetwaarde.
note-resources-before = “Vóór de belasting” is het gemiddelde van de fasen zonder belasting.
table-durations = Bewaakte tijdsduren tijdens het beoordeelde deel van { $scenario }, per instantie
note-durations = Elke aanroep of pauze telt afzonderlijk, op het tijdstip dat de monitor eraan geeft. Aantallen per seconde zijn berekend over de lengte van de stap. Een percentiel met te weinig waarden aan weerszijden is weggelaten.
table-metrics = Bewaakte reeksen tijdens het beoordeelde deel van { $scenario }
note-metrics = Ontbrekend telt meetwaarden die hadden moeten komen en niet kwamen. Groei is die van tellers, van de eerste tot de laatste meetwaarde.
table-events = Gebeurtenissen tijdens de run
fig-cpu-caption = Processortijd van { $instance }, { $scenario }
fig-cpu-seen = In het beoordeelde deel was de processor gemiddeld { $mean } van de tijd bezet en hoogstens { $max }, over { $samples } meetwaarden.
fig-cpu-stolen = Daarnaast gaf de hypervisor gemiddeld { $mean } van de tijd aan andere gasten.
fig-cpu-means-busy = Vanaf { $limit } is de processor waarschijnlijk de grens van deze resultaten: in de tijden zit dan wachten op de processor.
fig-cpu-means-stolen = Bezette en afgestane tijd bereiken samen { $limit }: de processor is waarschijnlijk de grens van deze resultaten.
fig-cpu-means-free = Het gemiddelde blijft onder { $limit }; niets wijst erop dat de processor als geheel hier de grens is. Eén volle core valt in een gemiddelde over alle cores niet op.
fig-cpu-means-none = Geen meetwaarde valt in het beoordeelde deel, dus er valt niets over te zeggen.
fig-cpu-reading = Alle cores van de machine samen zijn 100%. Bezet is de tijd van user en system samen, ook in tabellen en eisen. Tijdens wachten op I/O heeft de processor niets te doen; een snellere schijf of een sneller netwerk had dat kunnen verkorten. Afgestane tijd, die een hypervisor aan andere gasten gaf, heeft een eigen lijn.
metric-word = { $metric ->
    [requests] Verzoeken
    [handed] Verzoeken toegewezen
   *[other] { $metric }
}
unit-cores = cores
fig-multiples-seen-none = Geen meetwaarde valt in het beoordeelde deel.
fig-multiples-means-grew = { $instance } eindigde { $change } hoger dan aan het begin, na { $length }. Of dat zo doorgaat, is na zo’n korte tijd niet te bepalen.
fig-multiples-means-steady = { $instance } veranderde { $change } van het eerste derde deel tot het laatste, over { $length }. Een langzaam lek zou in die tijd niet zichtbaar zijn.
fig-multiples-means-none = Er valt niets over te zeggen.

## Figuren van bewaakte reeksen

panel-max = hoogstens { $max }
fig-cpu-finds = { $samples_n ->
    [0] Processor van { $instance }: geen meetwaarde in het beoordeelde deel
   *[other] De processor van { $instance } was gemiddeld { $mean } bezet, hoogstens { $max }
}
fig-heap-what = Heap van elke Java virtual machine ({ $monitor }), { $scenario }: maximum, toegewezen, in gebruik
fig-heap-name = { $part ->
    [used] in gebruik
    [committed] toegewezen
    [max] maximum
    [left] over na opruimen
   *[full] volledige opruimbeurt
}
fig-heap-finds = { $instance } gebruikt ten hoogste { $part } van zijn { $max } heap
fig-heap-finds-unbounded = { $instance } gebruikt ten hoogste { $used } heap
fig-heap-finds-none = Heap van { $instance }: in het beoordeelde deel is niets gemeten
fig-heap-seen = { $instance } had in het beoordeelde deel ten hoogste { $used } in gebruik en { $committed } toegewezen; na het opruimen bleef ten hoogste { $left } over. { $full_n ->
    [0] Er was geen volledige opruimbeurt.
    [one] Eén meetpunt heeft een volledige opruimbeurt.
   *[other] { $full } meetpunten hebben volledige opruimbeurten.
}
fig-heap-means = { $machines_n ->
    [one] Het opruimen liet ruimte in { $instance }: erna was ten hoogste { $part } van het maximum in gebruik.
   *[other] Van { $machines } machines liet het opruimen in { $instance } de minste ruimte: erna was ten hoogste { $part } van het maximum in gebruik.
}
fig-heap-means-near = Na het opruimen bleef { $part } van het maximum van { $instance } in gebruik: er is nauwelijks ruimte over, en dat kan hebben begrensd wat is gemeten.
fig-heap-means-none = In het beoordeelde deel is geen heap opgeruimd, dus is afval niet te onderscheiden van wat wordt vastgehouden.
fig-heap-reading = Wat telt, is de lijn die het opruimen achterlaat, niet de pieken: tussen twee opruimbeurten wacht afval. De streepjes onderaan zijn volledige opruimbeurten; alle vlakken hebben één schaal, en gearceerde fasen worden niet beoordeeld.
fig-memory-what = Geheugen van processen ({ $monitor }), { $scenario }: bovengrens, gereserveerd, gebruikt
fig-memory-name = { $part ->
    [used] gebruikt
    [reserved] gereserveerd
   *[limit] bovengrens
}
fig-memory-finds = { $instance } gebruikt hoogstens { $part } van de { $limit } die het proces mag gebruiken
fig-memory-finds-unbounded = { $instance } gebruikt hoogstens { $used } geheugen
fig-memory-seen = { $instance } had in het beoordeelde deel hoogstens { $used } in gebruik en { $reserved } gereserveerd.
fig-memory-seen-used = { $instance } had in het beoordeelde deel hoogstens { $used } in gebruik.
fig-memory-machine = Geen control group begrenst { $instances }; de getekende grens is het geheugen van de machine.
fig-memory-beyond = { $instance } heeft { $reserved } aan adresruimte gereserveerd, meer dan er ooit aan geheugen kan zijn; die reservering is daarom niet getekend.
fig-memory-means = Het dichtst bij zijn bovengrens komt { $instance }, met { $part }: die grens beperkt deze resultaten niet.
fig-memory-means-near = { $instance } bereikte { $part } van zijn bovengrens: dit kan hebben begrensd wat is gemeten.
fig-memory-means-unbounded = Er is geen grens onder het geheugen van de machine ingesteld: wat daarvan overblijft, is de ruimte die deze processen hebben.
fig-memory-reading = Het systeem is geen Java virtual machine; in plaats van maximale, gereserveerde en gebruikte heap staan hier de bovengrens, de gereserveerde adressen en het gebruikte geheugen van de processen. De schaal is logaritmisch, want adressen die zijn gereserveerd en nooit gebruikt, kosten geen geheugen en liggen vaak ver boven de rest.
fig-gauge-what = { $metric } van { $instances_n ->
    [one] één instantie
   *[other] { $instances } { $of ->
        [series] reeksen
       *[instances] instanties
    }
} ({ $monitor }), { $scenario }
fig-gauge-finds = { $instances_n ->
    [one] { $metric } van { $instance }: gemiddeld { $mean }
   *[other] { $metric }: het hoogst bij { $instance }, gemiddeld { $mean }
}
fig-gauge-finds-none = { $metric }: geen meetwaarde in het beoordeelde deel
fig-gauge-seen = { $instances_n ->
    [one] { $instance }: gemiddeld { $mean } en hoogstens { $max } in het beoordeelde deel.
   *[other] Van { $instances } { $of ->
        [series] reeksen
       *[instances] instanties
    } is { $instance } de hoogste: gemiddeld { $mean } en hoogstens { $max } in het beoordeelde deel.
}
fig-gauge-seen-idle = { $instances_n ->
    [one] { $instance }: gemiddeld { $mean } en hoogstens { $max } in het beoordeelde deel, tegen { $idle } vóór de belasting.
   *[other] Van { $instances } { $of ->
        [series] reeksen
       *[instances] instanties
    } is { $instance } de hoogste: gemiddeld { $mean } en hoogstens { $max } in het beoordeelde deel, tegen { $idle } vóór de belasting.
}
fig-gauge-means-near = { $instance } bereikt { $part } van zijn grens van { $ceiling }: dit kan hebben begrensd wat is gemeten.
fig-gauge-means-ceiling = Het dichtst bij zijn grens komt { $instance }, met een piek van { $part } van { $ceiling }; die grens beperkt deze resultaten niet.
fig-gauge-means-spike = De piek van { $instance } op { $when } is { $factor } keer het gemiddelde: losse pieken bepalen die hoogste waarde, niet het niveau.
fig-gauge-means-even = Geen piek is hoger dan { $factor } keer het gemiddelde van dezelfde instantie: het gebruik is gelijkmatig over het beoordeelde deel.
fig-gauge-means-small = Nergens ligt de piek meer dan { $height } boven het gemiddelde: bij zo weinig gebruik zegt een factor tussen die twee niets.
fig-gauge-means-zero = In het beoordeelde deel bleef het op nul.
fig-gauge-reading = Alle panelen, in alle scenario’s, delen één schaal; gearceerde fasen worden niet beoordeeld, verticale streepjes zijn gebeurtenissen.
fig-gauge-reading-idle = De stippellijn is het gemiddelde van de fase zonder belasting.
fig-gauge-reading-left = { $left_n ->
    [one] Nog één instantie staat alleen in de tabel van reeksen.
   *[other] Nog { $left } instanties staan alleen in de tabel van reeksen.
}
fig-mirror-what = { $first } en { $second } ({ $monitor }), { $scenario }
fig-mirror-finds = { $instance }: hoogstens { $first_max } ({ $first }) en { $second_max } ({ $second })
fig-mirror-seen = In het beoordeelde deel verplaatste { $instance } het meest: gemiddeld { $first_mean } ({ $first }) en { $second_mean } ({ $second }).
fig-mirror-means = “{ $more }” is { $factor } keer “{ $less }”. Van het apparaat is geen grens bekend: dit beschrijft het gebruik, en wijst geen beperking aan.
fig-mirror-means-one = Alleen “{ $more }” verplaatste iets; “{ $less }” bleef op nul.
fig-mirror-means-nothing = In het beoordeelde deel is in geen van beide richtingen iets verplaatst.
fig-mirror-reading = { $first } staat boven de as, { $second } eronder; beide tellen vanaf de as.
fig-overview-what = Al het overige dat { $monitor } bewaakte, { $scenario }
fig-overview-finds = Het verst van het niveau vóór de belasting: { $series }
fig-overview-finds-none = { $count_n ->
    [one] Nog één reeks
   *[other] Nog { $count } reeksen
}, zonder niveau vóór de belasting
fig-overview-seen = Van { $metrics } overige { $metrics_n ->
    [one] grootheid
   *[other] grootheden
} verschilt { $series } onder belasting het meest: van gemiddeld { $idle } naar { $mean }.
fig-overview-seen-no-idle = { $metrics_n ->
    [one] Nog één grootheid veranderde
   *[other] Nog { $metrics } grootheden veranderden
} in dit scenario; er zijn geen meetwaarden zonder belasting om mee te vergelijken.
fig-overview-means-ceiling = Van wat een grens heeft, kwam { $series } daar het dichtst bij: { $part }.
fig-overview-means-none = Geen van deze grootheden heeft een grens: zij beschrijven het systeem, maar kunnen geen beperking verklaren.
fig-overview-reading = Elk paneel heeft een eigen schaal vanaf nul. De stippellijn is het gemiddelde van de fase zonder belasting. Reeksen die nooit veranderden, staan alleen in de tabel hieronder.
fig-overview-reading-several = Elk paneel heeft een eigen schaal vanaf nul en bevat alle instanties; de kleuren zijn die van de andere figuren, en grijs waar het er veel zijn. Rechts van een titel staan de hoogste instantie en haar grootste waarde. Reeksen die nooit veranderden, staan alleen in de tabel hieronder.
course-constant = nooit veranderd
course-none = geen meetwaarde
col-course = Verloop
col-idle = Vóór de belasting
col-needs = Heeft nodig
topology-generator = belastinggenerator
topology-threads = { $threads } { $threads_n ->
    [one] werkthread
   *[other] werkthreads
}
fig-topology-what = Instanties van het systeem en wat elk nodig heeft
fig-topology-finds = { $instances_n ->
    [one] Eén instantie; de belasting komt binnen bij { $entries }
   *[other] { $instances } instanties; de belasting komt binnen bij { $entries }
}
fig-topology-seen = De studie noemt { $instances } { $instances_n ->
    [one] instantie
   *[other] instanties
} en { $edges_n ->
    [one] één afhankelijkheid
   *[other] { $edges } afhankelijkheden
} daartussen.
fig-topology-means-shared = Generator en systeem deelden één machine: wat de een gebruikte, was voor de ander niet beschikbaar.
fig-topology-means-apart = De belasting kwam van een eigen machine, dus de generator nam het systeem niets af.
fig-topology-reading = Een pijl wijst naar de instantie die nodig is. De rand heeft de kleur van de instantie in alle figuren.

## Wat figuren laten zien

fig-strip-finds-over = { $requirement } in { $scope } gaat het verst over haar grens: { $part } van wat is toegestaan
fig-strip-finds-under = Alle gemeten waarden blijven binnen hun grens; { $requirement } komt er het dichtst bij, met { $part }
fig-strip-finds-none = Geen gemeten waarde is tegen haar grens af te zetten
fig-plan-finds-all = Alle geplande iteraties zijn gestart
fig-plan-finds-short = { $share } van de geplande iteraties is nooit gestart
fig-plan-finds-closed = { $started_n ->
    [one] Eén iteratie is
   *[other] { $started } iteraties zijn
} gestart, zoals de antwoorden het toelieten
fig-throughput-finds-carried = { $rate } slaagde: zoveel als was gevraagd
fig-throughput-finds-short = { $rate } slaagde, { $share } minder dan was gevraagd
fig-throughput-finds-closed = { $rate } slaagde
fig-over-time-finds-below = Geen beoordeelde seconde bevat een aanroep boven { $limit }
fig-over-time-finds-above = Aanroepen boven { $limit } in { $above } van { $seconds } beoordeelde seconden
fig-over-time-finds-level = De mediaan per seconde is { $median }, de traagste aanroep { $greatest }
fig-over-time-finds-none = Geen aanroep van het beoordeelde deel slaagde
fig-heat-finds-one = Eén groep tijden: acht op de tien aanroepen duurden { $low } tot { $high }
fig-heat-finds-groups = De tijden vallen in { $groups } groepen
fig-curve-finds = { $highest } is { $factor } keer de mediaan
fig-ecdf-finds = { $share } van de aanroepen blijft binnen { $limit }
fig-ecdf-finds-no-limit = Negen op de tien aanroepen duurden { $low } tot { $high }
fig-histogram-finds = Tijden van { $low } tot { $high } komen het vaakst voor
fig-errors-finds = { $failed_n ->
    [one] Eén fout: { $class }
   *[other] { $failed } fouten, de meeste “{ $class }”
}

## Vergelijking

comparison-title = Vergelijking
comparison-runs = Runs tegen elkaar
comparison-base = Basis
comparison-intro = Verschillend betekent dat het hele interval van de verhouding buiten de band ligt, gelijkwaardig dat het erbinnen ligt. Uit een verschil dat niet is gevonden, wordt nooit gelijkheid afgeleid.
comparison-verdict = { $other } tegenover { $base }, { $all_n ->
    [one] één rij
   *[other] { $all } rijen
}: { $list }.
comparison-count = { $verdict ->
    [different] { $number } verschillend
    [equivalent] { $number } gelijkwaardig binnen { $band }
    [cannot_tell] { $number } niet te bepalen
   *[not_comparable] { $number } niet vergelijkbaar
}
comparison-single = Waar een zijde maar één keer is gedraaid, zit het verschil van run tot run niet in haar interval.
comparison-blocked = Alle runs van de ene zijde zijn vóór alle runs van de andere gedaan: wat in de loop van de dag verschuift, lijkt dan een verschil. Wissel ze af (A B A B).
comparison-not-comparable = { $base } en { $other } mogen niet als geheel worden vergeleken: zij verschillen in { $aspects }.
aspect-word = { $aspect ->
    [load] belasting
    [data] gegevens
    [validity] geldigheid
    [parts] wat tegelijk loopt
    [length] duur
    [system] systeem
    [store] opslag
    [host] machine
    [generator] belastinggenerator
    [study] andere delen van de studie
    [order] volgorde van de runs
   *[other] { $aspect }
}
row-verdict-word = { $verdict ->
    [different] verschillend
    [equivalent] gelijkwaardig
    [cannot_tell] niet te bepalen
    [not_comparable] niet vergelijkbaar
   *[other] { $verdict }
}
forbids-yes = verboden
forbids-no = vermeld
table-differences = Omstandigheden die verschillen
row-time-needed = minstens { $needed } nodig
row-runs-needed = { $runs_n ->
    [one] één run per kant nodig
   *[other] ongeveer { $runs } runs per kant nodig
}
note-differences = Wat een vergelijking verbiedt, maakt elke verhouding daarbinnen zinloos; de rest wordt vermeld, omdat het een verschil kan verklaren.
table-matrix = { $name }: elke rij aan alle zijden
note-matrix = Onder een verandering staat haar 95%-interval; de dunne lijn in een balk is wat afronding van de waarden openlaat. “≥” is een ondergrens: aanroepen werden bij de time-out afgebroken.
history-title = Verloop over runs
col-compared = Wat
col-statistic = Statistiek
col-change = Verandering
col-side = Zijde
col-other = Andere
col-aspect = Omstandigheid
col-forbids = Vergelijking
col-ratio = Verhouding
col-counted = Geteld
col-expected = Snelheid × tijd per iteratie
col-apart = Uiteen
col-of-mean = Van het gemiddelde
axis-less = minder dan de basis
axis-more = meer dan de basis
axis-ratio = Verhouding tot de basis, op een logaritmische schaal
axis-runs = Run, oudste eerst
axis-in-flight = Iteraties onderweg, gemiddeld
axis-of-mean = Deel van het gemiddelde van de replica’s
axis-phase = Tijd sinds het begin van de periode (s)
axis-users = Virtuele gebruikers
axis-offered = Aangeboden belasting (/s)
axis-throughput = Doorvoer (/s)
axis-time-ms = Tijd van een aanroep (ms)
axis-use = Gebruik van het geheel (%)
label-counted = zoals de generator telde
label-expected = snelheid × tijd per iteratie
fig-forest-what = { $other } tegenover { $base }
fig-forest-finds = { $different } van { $all } rijen verschillen tussen { $other } en { $base }
fig-forest-seen = { $different } verschillen, { $equivalent } zijn gelijkwaardig, { $open } zijn niet te bepalen, { $apart } mogen niet worden vergeleken.
fig-forest-means-widest = Van wat verschilt, verschilt { $what } het meest: { $change }. De band van gelijkheid is ±{ $band }.
fig-forest-means-equal = Elke rij is gelijkwaardig binnen ±{ $band }: een grotere verandering zou zichtbaar zijn geweest.
fig-forest-means-open = Van niets is een verschil aangetoond, en { $open_n ->
    [one] van één rij
   *[other] van { $open } rijen
} ook geen gelijkheid.
fig-forest-reading = De stip is de verhouding, de lijn haar 95%-interval; de gekleurde band ±{ $band } geldt als gelijk. Op de logaritmische schaal staan half en dubbel even ver van 1.
fig-history-what = Verloop van { $what } over { $runs } runs
fig-history-finds = { $what } veranderde { $shifts_n ->
    [one] één keer
   *[other] { $shifts } keer
} van niveau
fig-history-finds-none = { $what } hield zijn niveau over { $runs } runs
fig-history-seen = { $runs } runs, van { $first } in de oudste tot { $last } in de nieuwste; { $shifts_n ->
    [one] één niveausprong is
   *[other] { $shifts } niveausprongen zijn
} gevonden.
fig-history-means = De grootste begint met { $run }: van { $before } naar { $after }, een verandering van { $change }. Wat tussen die run en de vorige veranderde, hoort haar te verklaren.
fig-history-means-none = Geen niveausprong van 5% of meer gevonden; kleinere kunnen in de spreiding schuilgaan.
fig-history-reading = Een stip is een run, de dikke lijn het gemiddelde van een niveau, een streeplijn waar een niveau eindigt.
fig-history-reading-left = Een stip is een run, de dikke lijn het gemiddelde van een niveau, een streeplijn waar een niveau eindigt. Weggelaten: { $left }, omdat belasting of gegevens afwijken van die van de nieuwste run, of omdat zo’n waarde ontbreekt.
fig-archive-what = { $what } in { $runs } runs: { $rule }
fig-archive-finds-none = Geen verandering van niveau gevonden voor { $what }
fig-archive-seen = { $runs } runs met een waarde, van { $first } in de oudste tot { $last } in de nieuwste{ $gaps_n ->
    [0] .
    [one] ; in één run was zij niet te bepalen.
   *[other] ; in { $gaps } runs was zij niet te bepalen.
}
fig-archive-means = De nieuwste verandering is { $tendency ->
    [worse] een verslechtering
   *[better] een verbetering
} en begint met { $run }: van { $before } naar { $after }, { $change }. Wat tussen die run en de vorige veranderde, hoort haar te verklaren.
fig-archive-means-few = Om een niveausprong te zoeken zijn { $needed } runs met een waarde nodig; er { $have_n ->
    [one] is er één
   *[other] zijn er { $have }
}.
fig-archive-reading = Een stip is een run, de dikke lijn het gemiddelde van een niveau, een streeplijn waar een niveau eindigt. Een onderbroken lijn is een run zonder waarde; wat vóór de basis ligt, heeft een andere achtergrond.

## Over niveaus, replica’s en perioden

stability-title = Stabiliteit
stability-intro = Of het systeem in de loop van de tijd stabiel bleef: verloop, lekken, stilstanden, dalingen en pieken, en of het na de belasting terugkeerde naar het niveau van ervoor. Bij elke zin staat het nummer van de bevinding.
stability-none = Geen van deze regels vond iets in de beoordeelde delen.
stability-length = De beoordeelde delen duurden samen { $length }. Wat zich langzamer ontwikkelt of zeldzamer voorkomt, is daarmee aangetoond noch uitgesloten.
folded-slowest = Traagste aanroep van een seconde, { $exchange }
folded-ended = Geslaagde aanroepen in een seconde, { $exchange }
levels-title = Vergelijking van belastingniveaus
fig-response-load-what = Tijden van { $what } tegen de belasting
fig-response-load-finds = { $percentile } is bij de hoogste belasting { $factor } keer die bij de laagste
fig-response-load-seen = Over { $levels } niveaus gaat { $percentile } van { $low } naar { $high }.
fig-response-load-means-bend = Een deel van die tijd is wachten; bij meer belasting groeit dat sneller dan de belasting zelf.
fig-response-load-means-flat = Binnen deze niveaus geeft meer belasting nauwelijks meer wachttijd.
fig-response-load-means-partial = Er slaagde minder dan er werd aangeboden. De tijden zijn die van de aanroepen die slaagden, en tonen dus niet wat belasting ermee doet.
fig-levels-reading = Een stip is een niveau, haar lijn het 95%-interval waar er een is.
fig-response-throughput-what = Tijden van { $what } tegen de doorvoer
fig-response-throughput-finds = De hoogste doorvoer is { $rate }, bij { $level }
fig-response-throughput-seen = Bij de hoogste belasting, { $level }, was de doorvoer { $rate } en { $percentile } { $high }.
fig-response-throughput-means-back = Bij de hoogste belasting daalt de doorvoer weer terwijl de tijden groeien: het systeem is daar voorbij zijn capaciteit.
fig-response-throughput-means-short = Bij de hoogste belasting slaagde minder dan er werd aangeboden: het systeem hield die niet bij.
fig-response-throughput-means-on = De doorvoer groeit nog met de belasting mee, dus deze niveaus tonen niet waar de capaciteit eindigt.
fig-response-throughput-reading = De punten volgen de belasting; naast elk staat zijn niveau. Waar het pad terugkeert, geeft meer belasting minder antwoorden.
fig-use-what = Gebruik van middelen tegen de doorvoer
fig-use-finds = { $resource } zou bij { $rate } volledig benut zijn
fig-use-seen = { $resource } is gemiddeld voor hoogstens { $most } benut, bij ten hoogste { $rate }.
fig-use-means = Als het gebruik blijft toenemen zoals tussen deze niveaus, is { $resource } hiervan het eerst volledig benut, bij { $rate }. Dit is een doorgetrokken lijn en geen meting: andere grenzen kunnen eerder worden bereikt.
fig-use-finds-far = Geen middel is bijna volledig benut: { $resource } kwam gemiddeld tot { $most }
fig-use-means-far = Het eerste hiervan zou pas volledig benut zijn bij meer dan { $factor } keer de hoogste van deze belastingen. Een lijn die zo ver is doorgetrokken zegt niets: wat het systeem daar begrenst, is niet gezien.
fig-use-reading = Stippen zijn niveaus; stippellijnen zijn er met de kleinste-kwadratenmethode doorheen gelegd en lopen door tot hoogstens tweemaal de gemeten belasting.
fig-little-what = De wet van Little: wat onderweg was, op twee manieren geteld
fig-little-finds-same = De twee tellingen zijn gelijk
fig-little-finds = De twee tellingen verschillen hoogstens { $apart }
fig-little-seen = Het verst uiteen liggen zij in { $scope }: { $counted } geteld, { $expected } uit snelheid en tijd.
fig-little-means-close = Binnen { $limit }, wat de randen van een stap verklaren: snelheden, tijden en gelijktijdigheid kloppen met elkaar.
fig-little-means-apart = Meer dan { $limit }: een deel van de tijd onderweg zit niet in de vastgelegde tijden, of de stap was niet gelijkmatig. De tabel met geldigheidscontroles zegt of de stap daardoor vervalt.
fig-little-reading = In elke stap is het gemiddelde aantal onderweg de snelheid maal de gemiddelde tijd van een iteratie, van begin tot einde, met al haar aanroepen en wat ertussen ligt. Het percentage rechts is hoe ver de twee uiteen liggen.
fig-skew-what = Wat elke replica draagt, { $scenario }
fig-skew-finds = { $instance } draagt { $factor } keer het gemiddelde in { $what }
fig-skew-seen = Het verst van een gelijk deel is { $what }: { $instance } heeft { $level }, { $factor } keer het gemiddelde van zijn replica’s.
fig-skew-means-uneven = Vanaf { $limit } keer het gemiddelde delen replica’s het werk niet gelijk; de volste bepaalt de grens van alle.
fig-skew-means-apart = Eén ligt op { $limit } keer het gemiddelde of meer, maar niet zo aanhoudend dat het een bevinding is: toeval, of een grootheid die het werk niet volgt.
fig-skew-means-small = Eén ligt op { $limit } keer het gemiddelde of meer, maar van zo weinig dat het niet uitmaakt.
fig-skew-means-even = Alle blijven onder { $limit } keer het gemiddelde: de replica’s delen het werk.
fig-skew-reading = 1 is het gemiddelde van de replica’s. Het getal rechts is het maximum gedeeld door het gemiddelde.
fig-folded-what = { $what } gevouwen op { $period }, { $scope }
fig-folded-finds = Elke { $period } gaat het naar { $factor } keer het gewone niveau
fig-folded-seen = Over { $periods } perioden wijkt het het verst af op { $phase } in de periode, { $factor } keer het gewone niveau.
fig-folded-means = Wat op hetzelfde moment van elke periode komt, heeft een eigen klok: een timer, een opruiming, een checkpoint. Toeval zou zijn uitgemiddeld.
fig-folded-reading = Alle perioden over elkaar gelegd: de lijn is hun gemiddelde, de band loopt van minimum tot maximum.

## Generator

generator-title = Toestand van de belastinggenerator
generator-intro = Een belastinggenerator die te laat is, te weinig processortijd krijgt of geen sockets meer heeft, meet zichzelf. Deze controles zijn uitgevoerd voordat er iets werd beoordeeld.
generator-no-signs = Er is geen geldigheidscontrole uitgevoerd, omdat geen stap met belasting heeft plaatsgevonden.
table-generator-series = Wat de generator van zichzelf bijhield tijdens het beoordeelde deel van { $scenario }
generator-no-seconds = De generator heeft niets over zichzelf vastgelegd; zijn eigen processorgebruik kan dus niet worden getoond.
generator-seconds = De generator draaide met { $threads } { $threads_n ->
    [one] thread
   *[other] threads
}; in de drukste seconde werd { $busiest } van de beschikbare processortijd gebruikt. Gemiddeld over een seconde waren hoogstens { $in_flight } iteraties onderweg, en { $waiting_n ->
    [0] geen enkele start wachtte op een verbinding.
    [one] hoogstens één start wachtte op een verbinding.
   *[other] hoogstens { $waiting } starts wachtten op een verbinding.
}
generator-sources = De lokale poorten van één adres volstonden niet: verbindingen kwamen ook van { $addresses }.
generator-ceiling = Vóór de run verzond de generator tot { $ceiling } op tijd naar een doel dat niets doet, met { $threads } { $threads_n ->
    [one] thread
   *[other] threads
} en { $connections } verbindingen.
imported-title = Waar deze run vandaan komt
imported-intro = Deze cijfers zijn gemaakt uit bestanden die { $tool } en andere hulpmiddelen hadden geschreven. Hieronder staat wat er is gelezen en wat niet.
table-imported-files = Geïmporteerde bestanden
col-imported-kind = Soort
col-imported-read = Records
col-imported-nested = Waarvan sommen of delen van andere
col-imported-unreadable = Onleesbare regels
col-imported-times = Tijden
col-imported-sha = SHA-256
imported-placed = { $placed ->
    [start_and_interval] begin en interval opgegeven
    [fitted] geplaatst waar ze het best passen
    [whole_run] geen: alleen de hele run
   *[clock] eigen
}
imported-remarks = Wat over deze bestanden te weten is:
table-imported-lines = Regels die niet te lezen waren
col-imported-line = Regel
col-imported-why = Wat er stond
table-imported-said = Wat { $tool } afdrukt, naast wat zijn aanroepen zeggen
col-imported-figure = Cijfer
col-imported-said = { $tool } drukt af
col-imported-data = Alle aanroepen zeggen
col-imported-of = Aanroepen in het cijfer van het hulpmiddel
col-imported-file = Afgedrukt in
col-imported-differs = Waarom ze verschillen
imported-computed = berekend volgens zijn regel
imported-not-printed = niet afgedrukt
imported-by-rule = volgens zijn regel
imported-figure = { $figure ->
    [mean] gemiddelde
    [min] kleinste
    [max] grootste
    [calls] aanroepen
   *[failed] mislukte aanroepen
}
imported-differs = { $why ->
    [last_calls] het neemt alleen de laatste aanroepen en interpoleert
    [interpolated] het interpoleert tussen twee tijden
    [rounded] het rondt af
    [sketch] het schat uit een benadering
    [no_times] de bestanden bevatten geen tijden van afzonderlijke aanroepen
    [no_calls] de bestanden bevatten geen aanroepen met deze naam
    [other_calls] het telde andere aanroepen dan de bestanden bevatten
    [not_printed] het drukt dit niet af
    [no_file] geen bestand heeft wat het afdrukt
   *[unknown] niets in de bestanden laat zien waarom
}
imported-left-out = niet gelezen: { $why }
imported-all = alle
note-imported-said = Wat een hulpmiddel afdrukt staat er zoals het is. Waar geen bestand het heeft, is het berekend volgens de eigen regel van het hulpmiddel en zo gemerkt; wat het niet afdrukt blijft open. Ernaast staat wat alle aanroepen in de bestanden zeggen, ook de mislukte; percentielen zijn de dichtstbijzijnde rang.
imported-right = zoals het hulpmiddel besliste
imported-cannot = Wat de bestanden niet kunnen vertellen:
imported-unknown = { $what ->
    [intended_starts] wanneer elke aanroep had moeten beginnen, en dus hoe lang aanroepen hadden gewacht die nooit zijn gedaan
    [generator] of de generator processortijd, geheugen en verbindingen overhad
    [identity] of het bedoelde systeem antwoordde
    [timeouts] welke time-outs het hulpmiddel had: de getoonde zijn niet de zijne
    [times] hoe lang elke aanroep duurde: de tijden van dit hulpmiddel zijn zijn eigen cijfers, en oordelen over tijden zijn “niet te zeggen”
    [moments] wanneer binnen zijn interval elke aanroep eindigde: aanroepen zijn er gelijkmatig over verdeeld
    [failures] welke aanroepen mislukten: alle aanroepen met een tijd tellen als geslaagd
    [outside] wat er gebeurde voordat de server een aanroep aannam, en nadat hij had geantwoord
   *[users] hoeveel virtuele gebruikers er waren: getoond wordt het kleinste aantal dat de tijden toelaten
}
table-signs = Geldigheidscontroles met hun drempels
note-signs = “–” betekent dat zo’n drempel niet bestaat, of dat niets is gemeten. Een controle van één stap raakt de oordelen over die stap. Controles van dezelfde soort en toestand delen een rij, die de slechtste toont; “result.json” bevat ze allemaal.
sign-lateness = { $scope }: de generator startte te laat; de p99 van zijn startvertraging is { $value } (twijfelachtig boven { $questionable }, ongeldig boven { $invalid }).
    .name = Startvertraging, p99
sign-lost_starts = { $scope }: de generator verloor { $value } van de geplande starts (twijfelachtig boven { $questionable }, ongeldig boven { $invalid }).
    .name = Geplande starts die de generator verloor
sign-run_queue = { $scope }: de threads van de generator wachtten { $value } van de tijd op een processor (twijfelachtig boven { $questionable }, ongeldig boven { $invalid }).
    .name = Wachten van de generator op een processor
sign-foreign = { $scope }: andere programma’s gebruikten { $value } van de processors van de machine (twijfelachtig boven { $questionable }, ongeldig boven { $invalid }).
    .name = Andere programma’s op de processors
sign-steal = { $scope }: { $value } van de processortijd ging naar andere machines op dezelfde host (twijfelachtig boven { $questionable }, ongeldig boven { $invalid }).
    .name = Afgestane processortijd (steal)
sign-study_faults = { $scope }: { $value } van de iteraties eindigde door een fout in de studie, zoals een waarde die nooit werd uitgelezen (twijfelachtig boven { $questionable }, ongeldig boven { $invalid }). Ze tellen als afgebroken, niet als mislukt; bij de foutklassen staat een voorbeeld.
    .name = Fouten in de studie
sign-resources = { $scope }: de generator had { $count_n ->
    [one] één keer
   *[other] { $count } keer
} geen descriptors, poorten of geheugen meer.
    .name = Descriptors, poorten, geheugen
sign-cores_full = { $scope }: de generator gebruikte { $value } van zijn processortijd; de doorvoer van deze gesloten belasting is een ondergrens.
    .name = Cores van de generator vol
sign-overloaded = { $scope }: in { $value } van de seconden had een thread van de generator geen tijd over terwijl starts op een verbinding wachtten (twijfelachtig boven { $questionable }); een deel van dat wachten komt van de generator zelf.
    .name = Generator vol terwijl starts wachtten
sign-rate = { $scope }: er waren { $planned } gepland en er eindigden { $ended }; { $found ->
    [none] geen enkele seconde van deze belasting werd op tijd gestart, dus geen tempo was zuiver. “loadproof ceiling” bepaalt het hoogste dat deze machine kan verzenden.
    [planned] andere seconden waren op tijd bij { $clean }; niet het tempo maakte de generator te laat, maar iets wat ertussen kwam.
   *[below] het hoogste tempo van één seconde die op tijd werd gestart is { $clean }: ten minste dat zou zuiver zijn geweest.
}
    .name = Hoogste tempo dat op tijd was
sign-instance_lost = { $scope }: instantie { $instance } { $kind ->
    [gone] is geëindigd
    [restart] is herstart
   *[other] is verloren gegaan
} tijdens de meting.
    .name = Instantie verloren of herstart
sign-node_lost = { $scope }: de load node { $instance } viel weg, dus de volledige belasting is onbekend.
    .name = Load node weggevallen
sign-node_unwatched = { $scope }: van { $from } tot { $to } na de start zijn er geen waarnemingen van wat node { $instance } in het oog hield, omdat die was weggevallen.
    .name = Waarnemende node weggevallen
sign-orphaned = { $scope }: { $instance }, door de run gestart, eindigde samen met het proces dat de run leidde, of enige tijd daarna; niemand weet vanaf wanneer de belasting niets meer trof.
    .name = Instantie geëindigd met haar run
sign-unwatched = { $scope }: van { $from } tot { $to } na de start werd alleen nog door nodes gekeken, omdat het proces dat de run leidde was weggevallen.
    .name = Doorlopend bewaakt
sign-identity = { $scope }: instantie { $instance } is niet de bedoelde.
    .name = Identiteit van het geteste systeem
sign-unanswered = { $count_n ->
    [0] De run eindigde voordat er een aanroep was beantwoord: niets toont aan dat de belasting het systeem heeft bereikt.
   *[other] Geen van de { $count } aanroepen kreeg iets wat gelezen kon worden ({ $classes }): niets toont aan dat de belasting het systeem heeft bereikt.
}
    .name = Er werd geantwoord
sign-imported = { $tool } dreef deze belasting aan, en alleen zijn bestanden zijn bekend. Die vertellen niet wanneer aanroepen hadden moeten beginnen, hoe het de generator verging of wie er antwoordde: in de tijden kan vertraging van de generator zelf zitten, en aanroepen die onafhankelijke gebruikers hadden gedaan terwijl andere wachtten, ontbreken.
    .name = Door loadproof aangedreven
sign-broken_off = { $file } breekt af voor het einde of is beschadigd. Hoeveel aanroepen er ontbreken en hoe ze afliepen, is niet bekend.
    .name = Geïmporteerde bestanden volledig
sign-unreadable = { $value } van de regels van { $file } was niet te lezen ({ $count }; twijfelachtig boven { $questionable }, ongeldig boven { $invalid }). Wat erin stond, is niet bekend.
    .name = Geïmporteerde regels gelezen
sign-unreadable_samples = { $value } van de regels van { $file } was niet te lezen ({ $count }; twijfelachtig boven { $questionable }). Wat erin stond, is niet bekend, en wat van { $monitor } wordt gevraagd, berust op de andere.
    .name = Geïmporteerde metingen gelezen
sign-failures_unknown = De bestanden van { $tool } vertellen niet van elke aanroep of die mislukte: er kunnen er meer zijn mislukt dan geteld zijn, en die tellen als geslaagd.
    .name = Mislukkingen bekend
sign-approximate = De metingen van { $files } hebben geen eigen klok; ze zijn geplaatst met wat verder bekend is en kunnen bij andere momenten horen.
    .name = Metingen met een eigen klok
sign-killed = De run is van buiten afgebroken: hij heeft geen eigen einde.
    .name = Run zelf geëindigd
sign-little = { $scope }: aantallen, tijden en gelijktijdigheid wijken { $value } af van wat de wet van Little toelaat (ongeldig boven { $invalid }).
    .name = Wet van Little
sign-open_iterations = { $scope }: van { $count } gestarte { $count_n ->
    [one] iteratie
   *[other] iteraties
} is het einde niet gezien.
    .name = Einde van iteraties gezien
sign-unsound_rows = { $count } vastgelegde { $count_n ->
    [one] rij is
   *[other] rijen zijn
} innerlijk tegenstrijdig en weggelaten.
    .name = Vastgelegde rijen deugdelijk
sign-clock_step = { $scope }: de klok van de machine is verzet terwijl de belasting liep.
    .name = Sprong van de klok
sign-books = { $scope }: de boekhouding van iteraties klopt niet.
    .name = Boekhouding klopt
sign-altered_evidence = Bewijsmateriaal ontbreekt, is onleesbaar of is gewijzigd nadat het was verzegeld: { $files }.
    .name = Bewijsmateriaal ongewijzigd
sign-torn_evidence = { $bytes } beschadigde opname is weggelaten.
    .name = Bewijsmateriaal heel
sign-evidence_lost = Een deel van wat is gemeten kon niet worden weggeschreven.
    .name = Bewijsmateriaal weggeschreven

## Conclusions

conclusions-title = Conclusies en aanbevelingen
conclusion-title = Conclusie
conclusion-load = { $how ->
    [nothing] In stap { $step } is niets gestart.
    [unknown] { $started_n ->
        [one] Stap { $step } heeft één iteratie; uit de opname blijkt niet of die is mislukt.
       *[other] Stap { $step } heeft { $started } iteraties, bij { $rate }; uit de opname blijkt niet welke daarvan zijn mislukt.
    }
    [all] { $started_n ->
        [one] De enige iteratie van stap { $step } is geslaagd.
       *[other] Alle { $started } iteraties van stap { $step } zijn geslaagd, bij { $rate }.
    }
   *[some] In stap { $step } slaagde { $rate }; van { $started } gestarte iteraties: { $list }.
}
conclusion-ended = { $book ->
    [completed] { $count } geslaagd
    [failed] { $count } mislukt
    [aborted] { $count } afgebroken
   *[open] { $count } nog open
}
conclusion-times = { $what } duurde gemiddeld { $mean }, 90% duurde hoogstens { $p90 }, de traagste { $max }.
count-short = De belasting eindigde voordat het aantal was bereikt: { $begun } van de { $planned } iteraties zijn begonnen.
conclusion-no-hold = Er heeft geen plateau plaatsgevonden, dus over de belasting valt niets te concluderen.
conclusion-all-met = { $all_n ->
    [one] Het enige oordeel luidt “voldaan”.
   *[other] Alle { $all } oordelen luiden “voldaan”.
}
conclusion-count = { $verdict ->
    [met] { $number } voldaan
    [not_met] { $number } niet voldaan
   *[other] { $number } niet te bepalen
}
conclusion-verdicts = Oordelen: { $list }.
conclusion-no-limit = Er is niets gevonden dat de doorvoer bij deze belasting begrensde.
conclusion-not-met = Niet voldaan: { $list }.
conclusion-one = { $name } (gemeten { $measured }, grens { $limit })
heads-title = Resultaten in het kort
heads-throughput = Doorvoer
heads-response = Responstijd
heads-processor = Processor
heads-network = Netwerk-I/O
heads-memory = Geheugen
heads-collection = Garbage collection
heads-lag = Achterstand van consumers
heads-extrapolation = Extrapolatie
heads-best-disturbed = Geen plateau is ongestoord gemeten, dus over de belasting valt niets te concluderen.
heads-best = De hoogste doorvoer was { $rate }, in { $scenario } bij { $load }.
heads-no-limit = De studie stelt geen eis aan het aandeel aanroepen binnen een bepaalde tijd.
heads-limit = Geëist “{ $limit }”, voor elke stap en server: { $verdicts }.
heads-limit-disturbed = Geëist “{ $limit }”: geen scenario waarvoor dit geldt is ongestoord gemeten, dus er valt niets te concluderen.
heads-limit-kept = Geëist “{ $limit }”, voor elke stap en server: { $verdicts }. De langste tijd waar { $share } van de aanroepen binnen bleef, was { $time } ({ $place }, { $scenario }).
heads-not-watched = In deze run niet bewaakt.
heads-zero = Bewaakt, en steeds nul.
heads-disturbed = Bewaakt, maar geen scenario is ongestoord gemeten, dus er valt niets te concluderen.
heads-level = { $metric } van { $instance } was gemiddeld { $mean } en hoogstens { $max }.
heads-course = { $metric } van { $instance } ging van gemiddeld { $from } in { $first } naar { $to } in { $last }; het maximum was { $max }.
heads-findings = Zie { $findings }.
heads-refused = Geen enkel volume kon worden berekend; het hoofdstuk over capaciteit geeft de redenen.
heads-no-volume = De studie vraagt er geen (“capacity”).
table-limits-by-step = Eisen aan tijden, per stap en per server
note-limits-by-step = ✓ voldaan, ✗ niet voldaan, ? niet te bepalen. De tijd is die waar precies het vereiste aandeel van de aanroepen binnen bleef: met die tijd als limiet was het gemeten aandeel genoeg geweest. Daaronder staan de aanroepen boven de limiet.
limits-by-step-limit = { $share } onder { $limit }
limits-by-step-none = geen erboven
limits-by-step-beyond = { $beyond } erboven ({ $share })
recommendations-title = Aanbevelingen
recommendations-none = Geen regel vond iets dat om een maatregel vraagt.
table-recommendations = Aanbevelingen die uit de bevindingen volgen
open-points-title = Open punten
open-points-above = { $number_n ->
    [one] Van één eis is niet te bepalen of eraan is voldaan
   *[other] Van { $number } eisen is niet te bepalen of eraan is voldaan
}: { $list }. Wat daarover uitsluitsel zou geven, staat bij { $number_n ->
    [one] het oordeel
   *[other] de oordelen
}.
open-points-first = de getallen zijn die van de eerste van deze plaatsen
table-conclusions = Oordelen en bevindingen per scenario
note-conclusions = Geteld zijn oordelen. De conclusie over elk scenario, met belasting en tijden, staat in zijn hoofdstuk onder “Conclusie”.
table-open-points = Wat deze run niet beslist, en wat dat wel zou doen

## Statistics, checks, conformance

statistics-title = Ruwe statistiek
statistics-intro = Elke tabel van dit rapport als bestand, met onafgeronde getallen en alle rijen.
table-tables = Tabellen en hun bestanden
checks-title = Controles en wat is weggelaten
checks-intro = De regels en controles die op de getallen zijn toegepast voordat er een zin werd geschreven. Elke regel wordt op elke run toegepast.
table-checks = Toegepaste regels
note-checks = Waar elke regel naar zoekt, staat onder zijn naam in de documentatie.
table-checks-signs = Uitgevoerde geldigheidscontroles
note-checks-signs = “–”: de controle was op deze run niet van toepassing.
checks-nothing = niets gevonden
checks-left-out = Wat deze pagina weglaat
left-out-missing = { $missing_n ->
    [0] In geen tabel ontbreekt een waarde.
    [one] Eén waarde staat er als “–” omdat er geen gegevens voor zijn.
   *[other] { $missing } waarden staan er als “–” omdat er geen gegevens voor zijn.
}
left-out-thinned = { $thinned_n ->
    [one] Eén tabel is langer dan de pagina toont; het bestand is volledig.
   *[other] { $thinned } tabellen zijn langer dan de pagina toont; de bestanden zijn volledig.
}
left-out-blocks = Het profiel { $profile } laat weg: { $list }.
left-out-terms = Het profiel heeft woorden voor berichten die niet bestaan: { $list }.
conformance-title = Conformiteit met het profiel
conformance-intro = Wat het profiel { $profile } vereist, en waar dat in dit rapport staat.
conformance-sum = { $unmet_n ->
    [0] Alle { $all } vereisten zijn beantwoord
   *[other] Van de { $all } vereisten { $met_n ->
        [one] is er { $met } beantwoord
       *[other] zijn er { $met } beantwoord
    } en { $unmet } niet
}.
conformance-why-not = Niet beantwoord: { $why }
conformance-not-answered = Niet beantwoord: geen blok van het profiel beantwoordt het.
conformance-not-in-run = Niet beantwoord: deze run heeft er niets voor.
table-conformance = Vereisten en waar ze staan

## Threats

threats-title = Bedreigingen van de geldigheid
threats-above = Wat het resultaat verzwakt, staat in het hoofdstuk “{ $chapter }”: bij de geldigheid van de run, en onder “{ not-shown-title }”.
threats-findings-title = Bevindingen die bepalen hoe cijfers moeten worden gelezen
threat-single-run = Eén run: hoeveel resultaten van run tot run verschillen is onbekend, en geen interval hier bevat het.
threat-trial = Ingekorte proefrun: fasen en wachttijden zijn { $factor } van hun geplande lengte, dus trends, lekken en zeldzame gebeurtenissen zijn buiten bereik.
threat-left-out = Weggelaten uit de proefrun: { $text }
threat-shared-machine = Belastinggenerator en systeem draaiden op één machine en streden om processors, geheugen en netwerk.
threat-closed = Gesloten belasting: een traag antwoord vertraagt het volgende verzoek van die gebruiker, dus trage perioden bevatten minder aanroepen dan ze in productie zouden hebben.
threat-no-study = De studie kon niet worden gelezen: doel, aannamen en grenzen in figuren ontbreken.

## Environment

environment-title = Vastgelegde omgeving
environment-no-instances = Er is geen instantie van het systeem vastgelegd.
environment-no-facts = Er is geen feit over machine of software vastgelegd.
environment-stated = Opgegeven door de auteur
environment-stated-note = Wat volgt heeft de auteur van de studie geschreven; niemand heeft het vastgelegd, en er is niets naar beoordeeld.
table-facts-stated = Feiten zoals opgegeven
table-instances = Instanties van het systeem
note-instances = Opdrachten noemen geheimen bij naam en bevatten ze nooit. Identiteit is wat de instantie zelf zei toen ernaar werd gevraagd.
table-facts = Feiten, vastgelegd aan het begin en aan het einde
note-facts = Vastgelegd door de monitors, niet door iemand opgegeven. “–” aan het einde: niet opnieuw vastgelegd.

## Methods

methods-title = Methoden en drempels
method-percentile = Percentielen zijn nearest rank, x(⌈qN⌉), uit histogrammen die over seconden en threads zijn samengevoegd; minimum- en maximumtijden zijn exact.
method-histogram = Klassen van het histogram zijn hoogstens 0,1% breed vanaf 205 µs en 100 ns breed daaronder, tot één uur.
method-share = “95% onder T” wordt als aandeel beoordeeld: aanroepen boven T worden tijdens de belasting exact geteld, en het aantal wordt met exacte binomiale grenzen (Clopper–Pearson, 5% aan elke kant) aan de eis getoetst.
method-design-effect = Aanroepen die in de tijd naast elkaar liggen, zijn niet onafhankelijk. Hun spreiding in de tijd geeft het design-effect, waardoor aantallen worden gedeeld voordat er een interval wordt gevormd; wat daarover onzeker is, maakt het interval nog breder.
method-mean = Gemiddelden worden beoordeeld met de t-verdeling van Student over dezelfde groepen.
method-census = Maximum- en minimumtijden, aantallen, en aandelen die op 0% of 100% zijn geëist, zijn exacte uitspraken over deze run en hebben geen interval.
method-validity = Eerst wordt over de geldigheid beslist. Een controle die niet slaagt, laat alleen de oordelen vervallen die de verstoring kan hebben omgekeerd: een generator die te laat is, maakt tijden langer, dus een grens die toch is gehaald, blijft gehaald.
method-figures = Lijnen met meer dan 1.200 punten houden van elke pixelkolom het eerste, kleinste, grootste en laatste punt (M4), zodat geen uiterste verloren gaat.
table-settings = Drempels en keuzen van deze versie
setting-confidence = Betrouwbaarheid van intervallen
setting-verdict_confidence = Betrouwbaarheid van een interval dat een oordeel beslist
setting-wrong_verdict = Kans op een verkeerd oordeel, aan elke kant
setting-batches = Groepen voor het design-effect
setting-lateness_questionable = Startvertraging p99, twijfelachtig boven
setting-lateness_questionable_share = of boven dit aandeel van de mediane responstijd, als dat groter is
setting-lateness_invalid = Startvertraging p99, ongeldig boven
setting-lateness_invalid_share = of boven dit aandeel van de mediane responstijd, als dat groter is
setting-lost_questionable = Verloren geplande starts, twijfelachtig boven
setting-lost_invalid = Verloren geplande starts, ongeldig boven
setting-run_queue_questionable = Wachten op een processor, twijfelachtig boven
setting-run_queue_invalid = Wachten op een processor, ongeldig boven
setting-steal_questionable = Afgestane processortijd, twijfelachtig boven
setting-steal_invalid = Afgestane processortijd, ongeldig boven
setting-foreign_questionable = Processortijd van andere programma’s, twijfelachtig boven
setting-foreign_invalid = Processortijd van andere programma’s, ongeldig boven
setting-cores_full = Processoraandeel van de generator waarbij een gesloten belasting een ondergrens is
setting-little_invalid = Afwijking van de wet van Little, ongeldig boven
setting-samples_missing = Meetwaarden die in een beoordeelde reeks mogen ontbreken

## Data inventory

inventory-title = Overzicht van de gegevens
inventory-intro = Het materiaal waaruit dit rapport is gemaakt. Al het bewijsmateriaal staat in de map van de run, met een controlegetal van elk bestand in het manifest.
inventory-seed = Startgetal (seed)
inventory-schema = Schema van het bewijsmateriaal
inventory-no-data = De studie gebruikt geen gegevensset.
table-inventory = Run en bewijsmateriaal
note-inventory = De SHA-256 van elk bewijsbestand staat in “evidence/manifest.json”; bestanden die er niet meer mee overeenkomen, zijn op het titelblad genoemd.
table-data = Gegevenssets zoals ze zijn gebruikt

## Column heads

col-scenario = Scenario
col-measure = Tijden
col-time = Tijd
col-time-in-scenario = Tijd in scenario
col-planned = Gepland
col-started = Gestart
col-dropped = Vervallen
col-ended-well = Geslaagd
col-failed = Mislukt
col-transaction = Transactie
col-count = Aantal
col-made-of = Bestaat uit
col-calls = Aanroepen
col-max = Max
col-min = Min
col-mean = Gem.
col-bin-least = Snelste vanaf
col-bin-fullest = Meest voorkomend vanaf
col-bin-greatest = Traagste vanaf
col-percentile = Percentiel
col-response = Respons
col-service = Service
col-low = Laag
col-high = Hoog
col-upto = Tot
col-from = Vanaf
col-share = Aandeel
col-share-below = Aandeel eronder
col-requirement = Eis
col-where = Waar
col-used = Gebruikt
col-verdict = Oordeel
col-in-words = In woorden
col-measured = Gemeten
col-limit = Grens
col-severity = Gewicht
col-behind = Metingen
col-design-effect = Design-effect
col-reason = Reden
col-step = Stap
col-length = Duur
col-users = Gebruikers
col-offered = Gevraagd
col-achieved = Gerealiseerd
col-throughput = Doorvoer
col-validity = Geldigheid
col-name = Naam
col-value = Waarde
col-meaning = Betekenis
col-used-in-load = Gebruikt
col-exchange = Uitwisseling
col-outcome = Uitkomst
col-class = Klasse
col-account = Voor wiens rekening
col-sample = Wat is gezien
col-metric = Reeks
col-instance = Instantie
col-growth = Groei
col-samples = Meetwaarden
col-missing = Ontbrekend
col-run-time = Tijd in de run
col-event = Gebeurtenis
col-subject = Onderwerp
col-text = Wat er gebeurde
col-state = Toestand
col-sign = Controle
col-questionable = Twijfelachtig boven
col-invalid = Ongeldig boven
col-address = Adres
col-command = Opdracht
col-identity = Identiteit
col-faults = Foutschakelaars
col-at-start = Aan het begin
col-at-end = Aan het einde
col-setting = Instelling
col-file = Bestand
col-rows = Rijen
col-rule = Regel
col-places = Plaatsen
col-load = Belasting
col-recommendation = Wat te doen
col-because = Vanwege
col-content = Inhoud
col-found = Gevonden
col-findings = Bevindingen
col-not-met = Niet voldaan, met grens
col-workload = Werklast
col-looked = Gecontroleerd
col-against = Niet geslaagd
col-number = Nr.
col-demand = Vereiste
col-stands = Waar het staat

## Reasons of verdicts

reason-fell = Het tempo zakte van { $before } naar { $after }, { $at } na het begin (tussen { $at_low } en { $at_high }){ $shape ->
        [decline] , langzaam: de grenzen zijn die van de daling
       *[step] { "" }
    }. { $side ->
        [inside] Het hele interval van het aantal ligt aan de goede kant van de grens.
        [outside] Het hele interval van het aantal ligt aan de verkeerde kant van de grens.
       *[straddles] De grens ligt binnen het interval van het aantal.
    } Volume en tijd zijn in één run verstrengeld.
reason-fell_not = Het tempo zakte niet in { $seconds }; het aantal waarbij het zakt, ligt dus voorbij alles wat kwam. { $side ->
        [inside] Dat ligt aan de goede kant van de grens.
        [outside] Dat ligt aan de verkeerde kant van de grens.
       *[straddles] Of het voorbij de grens ligt, is niet bekend: draai langer.
    }
reason-fell_perhaps = Het tempo is misschien gezakt, op zijn vroegst { $at_low } na het begin, of het schommelde alleen. { $side ->
        [inside] Wat daarvoor kwam, ligt aan de goede kant van de grens.
        [outside] Wat daarvoor kwam, ligt aan de verkeerde kant van de grens.
       *[straddles] Wat daarvoor kwam, haalt de grens niet.
    }
reason-rate_shifts = Het tempo verschuift tussen blijvende niveaus; één werktempo beschrijft het niet. Beoordeel een venster waarin dat niet gebeurt: `in first 2m of hold`.
reason-worked = { $number_n ->
        [0] Er is geen stilstand gevonden; dit is dus het gemiddelde over de hele tijd.
       *[other] Gemeten in { $duty } van de tijd, tussen { $number } stilstanden van ongeveer { $lasts }; die kostten { $lost }. Over de hele tijd is het gemiddelde { $mean }.
    } { $side ->
        [inside] Het hele interval ligt aan de goede kant van de grens.
        [outside] Het hele interval ligt aan de verkeerde kant van de grens.
       *[straddles] De grens ligt binnen het interval.
    }
reason-interval_inside = Het hele interval ligt aan de goede kant van de grens.
reason-interval_outside = Het hele interval ligt aan de verkeerde kant van de grens.
reason-interval_straddles_limit = Het interval bevat de grens; de { $count } aanroepen of meetwaarden erachter beslissen dus niet.
reason-interval_straddles_needs = Het interval bevat de grens. { $count } aanroepen beslissen niet; ongeveer { $needed } erbij wel, als het aandeel blijft zoals het is.
reason-change_inside = { $subject } gemeten tegen { $base }: het hele interval van de verandering ligt aan de goede kant van de grens.
reason-change_outside = { $subject } gemeten tegen { $base }: het hele interval van de verandering ligt aan de verkeerde kant van de grens.
reason-change_straddles = { $subject } gemeten tegen { $base }: het interval van de verandering bevat de grens. Met een langere belasting, of door beide te herhalen, wordt het smaller.
# De eerste regel van een vergelijking.
headline-times = { $way ->
    [slower] { $factor } keer zo traag
   *[faster] { $factor } keer zo snel
}
headline-percent = { $way ->
    [slower] { $change } trager
   *[faster] { $change } sneller
}
headline-at-least = minstens { $change }
headline-differs = { $count_n ->
    [0] Niets wat van beide kanten is vastgelegd, verschilt.
   *[other] Wat verschilt: { $what }{ $left_n ->
        [0] .
       *[other] ; en nog { $left }.
    }
}
side-all = alle andere
headline-none = Er valt niets te vergelijken: { $what }.
difference-both = { $value } in beide
headline-nothing = Van tijden noch fouten is een verschil aangetoond; { $open } van { $rows } regels zijn niet te bepalen.
reason-compared_apart = Er is te weinig tijd voor een interval, maar de dichtstbijzijnde van { $parts } delen van elke kant liggen meer dan twee keer zo ver uiteen als de delen van elke kant onderling.
reason-compared_at_least = Aanroepen van de andere kant zijn op de time-out afgekapt, dus de waarde is een ondergrens; ook zo ligt het hele interval boven de band van ±{ $limit }.
reason-compared_baseline = De run { $run } waarmee dit wordt vergeleken, is niet te gebruiken ({ $why }).
reason-compared_base_censored = Aanroepen van de basis zijn op de time-out afgekapt: de waarde is een ondergrens, en daarmee is er geen verhouding.
reason-compared_census = Eén waarde per run, zonder interval: één run per kant zegt er niets over.
reason-compared_dealt = Volgens het interval zou deze rij als verschillend gelden. Maar als de tijdblokken van beide kanten opnieuw worden verdeeld, liggen ze in { $chance } van de gevallen even ver uiteen.
reason-compared_family = Op zichzelf zou deze rij als verschillend gelden. Onder { $rows } rijen komt zo’n uitkomst te vaak door toeval voor (Benjamini–Hochberg).
reason-compared_changed = Het is veranderd: het interval bevat “geen verandering” niet. Of het meer dan ±{ $limit } is, is niet beslist.
reason-compared_differs = Niet vergelijkbaar, omdat de twee hierin verschillen: { $what }.
reason-compared_few_calls = { $count_n ->
    [one] Eén aanroep aan de kant met de minste is
   *[other] { $count } aanroepen aan de kant met de minste zijn
} te weinig voor dit percentiel; er zijn er minstens { $needed } nodig.
reason-compared_inside = Het hele interval ligt binnen ±{ $limit }.
reason-compared_invalid = Niet vergelijkbaar: { $where ->
    [base] de meting van de basis is ongeldig en zegt niets over het systeem.
    [other] de meting van de andere kant is ongeldig en zegt niets over het systeem.
   *[both] beide metingen zijn ongeldig en zeggen niets over het systeem.
}
reason-compared_no_samples = { $where ->
    [base] De basis heeft hiervan niets om te vergelijken.
    [other] De andere kant heeft hiervan niets om te vergelijken.
   *[both] Geen van beide kanten heeft hiervan iets om te vergelijken.
}
reason-compared_one_level = Zo’n niveau hoort bij een run en zou in de volgende ook verschillen; één run per kant zegt er niets over. Herhaal beide.
reason-compared_other_censored = Aanroepen van de andere kant zijn op de time-out afgekapt: de waarde is een ondergrens, die een verschil bewijst noch uitsluit.
reason-compared_outside = Het hele interval ligt buiten ±{ $limit }.
reason-compared_questionable = Het hele interval ligt binnen de band, maar een twijfelachtige meting bewijst geen gelijkheid.
reason-compared_saturated = { $count } tijden duurden langer dan een uur, en het percentiel ligt daartussen.
reason-compared_straddles = Het interval loopt over een rand van ±{ $limit }, dus is verschil noch gelijkheid bewezen.
reason-compared_straddles_runs = Het interval loopt over een rand van ±{ $limit }; ongeveer { $needed } runs per kant zouden het beslissen, als alles blijft zoals het is gezien.
reason-compared_too_short = De waarden beslaan { $seconds }, te kort om te zien hoezeer naburige seconden van elkaar afhangen; ze moeten minstens { $needed } beslaan.
row-reason-too-short = De waarden beslaan { $seconds }, te kort om te zien hoezeer naburige seconden van elkaar afhangen. Elke rij noemt de tijd die ze moeten beslaan.
reason-compared_unsettled = { $open_n ->
    [one] Eén aanroep is niet geslaagd en niet mislukt: afgebroken
   *[other] { $open } aanroepen zijn niet geslaagd en niet mislukt: afgebroken
} aan het einde van de uitloop, of nooit verzonden omdat een eerdere uitwisseling mislukte. Wat ervan geworden zou zijn, kan dit veranderen.
reason-compared_within_noise = Het verschil is niet groter dan wat de machine zelf aan een aanroep kan toevoegen: de eigen threads van de generator werden net zo laat gewekt.
reason-compared_zero = Een waarde van 0 heeft geen verhouding.
reason-compared_sparse = Delen van de run hebben geen positieve waarde, dus is er geen interval.
reason-census = Exact geteld; er is niets geschat.
reason-counts_differ = Ze zijn niet gelijk: { $counts }. Het hoogste en het laagste aantal verschillen { $difference }.
worst-place = Het ergst in { $place }: { $reason }
reason-reconciled = Geteld van vóór de belasting tot erna, en gelijk: { $counts }.
reason-not_counted_before = Vóór het begin van de belasting is er niets bewaakt, zodat niet bekend is wat er al was geteld. Geef het scenario een fase `idle`.
reason-not_counted_after = Na het laatste antwoord is er niets meer bewaakt, zodat het laatste van de belasting kan ontbreken in de telling. Geef het scenario een fase `recovery`.
reason-too_few = { $count_n ->
    [one] Eén aanroep is
   *[other] { $count } aanroepen zijn
} te weinig voor dit percentiel; er zijn er ten minste { $needed } nodig.
reason-far_outside = Het beoordeelde deel is te kort om te bepalen hoezeer waarden die in de tijd naast elkaar liggen, van elkaar afhangen, maar ligt zo ver over de grens dat dit niet uitmaakt: ook als alle { $count } samen misgingen, zou een systeem dat de grens haalt dit in hoogstens één op de { $runs } runs laten zien.
reason-too_few_batches = Het beoordeelde deel is te kort om te bepalen hoezeer waarden die in de tijd naast elkaar liggen, van elkaar afhangen: het levert { $batches } groepen met waarden op, en { $needed } zijn nodig. { $count } waarden hebben daarom geen interval.
reason-too_short_for_memory = Trage perioden duren zo lang dat { $count } waarden van het beoordeelde deel te weinig van de schommelingen van het systeem laten zien. De run moet ten minste { $times } keer zo lang duren.
reason-bucket_straddles_limit = De grens is tijdens de belasting niet geteld en valt binnen één klasse van het histogram, waarvan de breedte het oordeel beslist. Draai opnieuw met deze grens in de studie.
reason-compound_estimate = De regel combineert schattingen op een manier waarvoor geen interval bekend is; alleen exacte aantallen kunnen zo worden gecombineerd.
reason-instance_lost = { $instance } is niet gebleven: { $kind ->
    [gone] het proces is geëindigd.
    [restart] het proces is herstart.
    [identity] het is niet het bedoelde proces.
   *[other] { $kind }.
}
reason-other_requirement = Volgt uit eis { $requirement }.
# Wat een controle van de geldigheid die niet slaagde, deed met een oordeel dat ernaast blijft staan.
disturbed-harmless = Door wat de controle “{ $check }” vond (in { $where }), kan dit cijfer alleen zijn { $moves ->
    [raised] verhoogd, dus het oordeel blijft staan.
    [lowered] verlaagd, dus het oordeel blijft staan.
   *[either] verschoven op een manier die het oordeel niet kan hebben omgekeerd.
}
disturbed-bounded = Door wat de controle “{ $check }” vond (in { $where }), kan dit cijfer met hoogstens { $at_most } zijn verschoven; ook zonder dat geldt het oordeel.
disturbed-slight = Door wat de controle “{ $check }” vond (in { $where }), kan dit cijfer zijn verschoven. Hoeveel is niet bekend; een “niet voldaan” vervalt alleen waar vaststaat dat dit het verklaart.
limits-changed = De studie stelt eigen grenzen voor “{ $check }”: { $because }
reason-run_invalid = De meting is ongeldig in { $where } ({ $sign }); zonder dat zou het oordeel anders kunnen zijn.
reason-run_questionable = De meting is twijfelachtig in { $where } ({ $sign }); zonder dat zou het oordeel anders kunnen zijn.
reason-cut_short = De stap is voortijdig beëindigd, dus of eraan is voldaan, staat niet vast.
reason-cut_short_below = De stap is voortijdig beëindigd, en de rest ervan had nog kunnen brengen wat ontbreekt.
reason-edges_unknown = Wanneer de stap begon of eindigde, staat in geen tabel die er nog is, dus is geen tempo over de hele stap bekend.
reason-left_out = De tabel { $table } ontbreekt of is onleesbaar, dus niemand kent dit cijfer.
reason-no_clock = De { $rows } rijen van { $file } hebben geen klok, en niets plaatst ze in de run. { $why ->
    [no_interval] “--start” en “--every” zouden ze door tellen plaatsen; “--every” alleen probeert waar ze de belasting volgen.
    [too_few] Geprobeerd is ze naar de belasting te plaatsen, { $every } uit elkaar, en om die te dekken zijn { $needed } rijen nodig. “--start” zegt wanneer de eerste is genomen.
    [short_load] Geprobeerd is ze naar de belasting te plaatsen, { $every } uit elkaar, en de belasting beslaat minder dan de { $needed } intervallen die daarvoor nodig zijn. “--start” zegt wanneer de eerste is genomen.
    [flat] Geprobeerd is ze naar de belasting te plaatsen, { $every } uit elkaar, en ze variëren niet, of de belasting niet. “--start” zegt wanneer de eerste is genomen.
    [apart] Geprobeerd is ze naar de belasting te plaatsen, { $every } uit elkaar, en ze volgen die nergens: de hoogste correlatie is { $correlation }, en dat is te laag. “--start” zegt wanneer de eerste is genomen.
   *[repeats] Geprobeerd is ze naar de belasting te plaatsen, { $every } uit elkaar, en ze volgen die op meerdere plaatsen even goed (correlatie { $correlation }). “--start” zegt wanneer de eerste is genomen.
}
reason-outside_run = 0 van { $rows } rijen van { $file } liggen binnen de run: ze zijn van { $from } tot { $to }, en de run is van { $run_from } tot { $run_to }. Een zone die niet die van de stempels is kan de oorzaak zijn (“--zone”).
reason-unsettled = { $open_n ->
    [one] Eén aanroep is niet geslaagd en niet mislukt: afgebroken
   *[other] { $open } aanroepen zijn niet geslaagd en niet mislukt: afgebroken
} aan het einde van de uitloop, nooit verzonden omdat een eerdere uitwisseling mislukte, of nog wachtend op een verbinding. Als mislukt geteld zouden ze het oordeel veranderen; met een langere uitloop kan wat nog loopt eindigen.
reason-censored = Aanroepen die hun time-out overschreden duurden langer dan bekend is, dus dat eraan is voldaan kan niet op hun tijden berusten. Vraag naar de tijden van wat slaagde, en naar het aandeel dat mislukte.
reason-no_samples = Er is niets vastgelegd waar deze regel naar kijkt.
reason-not_run = De stap waar deze regel naar kijkt, heeft niet plaatsgevonden.
reason-not_yet = Deze versie kan regels van deze soort niet beoordelen.
reason-samples_missing = Te veel meetwaarden van de bewaakte reeks ontbreken.
reason-trial = Trends en volumes worden in een ingekorte proefrun niet beoordeeld.
reason-units_differ = De twee kanten van de regel hebben verschillende eenheden.
reason-drift_unclear = Drift noch stabiliteit is aangetoond: een verandering van minder dan { $detectable } per uur zou met minder dan 80% kans zijn gevonden (horizon { $horizon }). Houd de belasting langer aan. De variatiecoëfficiënt van de waarden is { $spread }.
within-drift_unclear = Drift noch stabiliteit is aangetoond: een verandering van minder dan { $detectable } in { $horizon } zou met minder dan 80% kans zijn gevonden. Houd de belasting langer aan. De variatiecoëfficiënt van de waarden is { $spread }.
within-drifts = De waarde veranderde met { $hourly } over { $horizon }. Dat is meer dan de regel toelaat, en het interval van de helling bevat nul niet. De variatiecoëfficiënt van de waarden is { $spread }.
within-steady = Geen drift voorbij de grens: een verandering van { $detectable } of meer in { $horizon } zou met 80% kans zijn gevonden. De variatiecoëfficiënt van de waarden is { $spread }.
reason-drifts = De waarde verandert met { $hourly } per uur. Over { $horizon } is dat meer dan de regel toelaat, en het interval van de helling bevat nul niet. De variatiecoëfficiënt van de waarden is { $spread }.
reason-level_shift = Het niveau verschoof { $at } na het begin, van { $before } naar { $after }.
reason-no_baseline = Er is geen rustfase; niemand kent dus het niveau waarnaar het moet terugkeren. Geef het scenario “idle”.
clause-decides = “{ $clause }” geeft de doorslag. { $why }
clause-shown = Alle voorwaarden gelden; de getallen zijn die van “{ $clause }”. { $why }
reason-steady = Geen drift voorbij de grens: een verandering van { $detectable } per uur of meer zou met 80% kans zijn gevonden (horizon { $horizon }). De variatiecoëfficiënt van de waarden is { $spread }.
reason-too_short = Er is { $have } gemeten; een uitspraak over het verloop in de tijd vraagt ten minste { $needed }.

## Findings

down-asked-means = De studie vroeg hierom met de foutschakelaar `crash`: wat vanaf dat moment is gemeten, is hoe het systeem de uitval doorstaat, en niet het volledige systeem.
down-asked-do = Lees uit de aansluiting van aantallen en uit de fouten van dat moment af hoe de uitval is doorstaan.
finding-unknown-means = Deze regel heeft geen zin in de catalogus; de getallen staan hierboven.
finding-LITTLE =
    .seen = In { $scope } waren gemiddeld { $concurrency } iteraties onderweg, maar { $rate } van elk { $time } geeft { $expected }: { $off } ernaast.
    .means = Aantallen, tijden en gelijktijdigheid spreken elkaar tegen (wet van Little). Zolang dat niet is verklaard, zijn tijden en snelheden van deze stap met voorzichtigheid te lezen.
    .do = Zoek uit welke van aantallen, tijden en gelijktijdigheid niet klopt voordat u er een gebruikt: vergelijk de aantallen met het eigen logboek van het systeem en herhaal de stap.
finding-BACKLOG =
    .seen = In { $scope } werden er { $offered } aangeboden en eindigden er tijdens de belasting maar { $ended }; het werk in behandeling groeide van { $from } naar { $to } iteraties.
    .means = Er kwam meer dan het systeem aankon, en de rest liep op. De tijden groeiden zolang deze meting duurde, en een langere meting had langere tijden gegeven; het aangeboden tempo houdt het systeem niet vol.
    .do = Lees wat het scenario begrensde, verruim dat, en zoek het hoogste tempo waarbij niets oploopt.
finding-OTHER-WORK =
    .seen = In { $scope } waren { $busy } van { $cores } bezet, en de bewaakte processen en de generator gebruikten { $own } (grens { $limit } van wat bezet was).
    .means = Ander werk op deze machine, of een deel van het systeem dat niet werd bewaakt, nam de processors in beslag. Hoe druk die waren zegt niets over wat deze belasting vraagt; wachten op een processor kan aanroepen wel trager hebben gemaakt.
    .do = Haal het andere werk van deze machine, of bewaak het ontbrekende proces, en herhaal de run.
finding-GEN-SAT =
    .seen = In { $scope } kwam de generator processortijd tekort: { $sign ->
        [overloaded] in { $value } van de seconden had een thread geen tijd over terwijl starts op een verbinding wachtten
        [run_queue] zijn threads wachtten { $value } van de tijd op een core
        [steal] { $value } van de processortijd ging naar andere machines
       *[cores_full] zijn threads gebruikten { $value } van hun processortijd
    } (grens { $limit }).
    .means = De generator begrensde de test. Tijden kunnen te lang zijn en de doorvoer te laag.
    .do = Geef de generator meer cores of een eigen machine, en herhaal de run.
finding-GEN-SLIP =
    .seen = In { $scope } kwam één op de honderd starts meer dan { $lateness } te laat (grens { $limit }).
    .means = De belasting kwam later en in dichtere groepen dan gepland; de eigen vertraging van de generator zit in de responstijden.
    .do = Haal ander werk van de machine van de generator of geef hem meer cores, en herhaal de run.
finding-GEN-CEILING =
    .seen = In { $scope } is { $rate } gepland, { $share } van de { $ceiling } die de generator op deze machine op tijd verzond naar een doel dat niets doet (grens { $limit }).
    .means = De generator heeft weinig over. Wat een echt doel hem kost, zoals langere antwoorden, controles of een gedeelde machine, kan dat opmaken.
    .do = Geef de generator meer threads of een eigen machine, of verlaag het tempo; let op zijn startvertraging en zijn wachten op een processor.
finding-GEN-DROP =
    .seen = In { $scope } zijn { $dropped } van { $intended } geplande iteraties ({ $share }) nooit gestart; { $lost } daarvan voor rekening van de generator.
    .means = Het systeem kreeg minder belasting dan de studie vroeg. Aandelen zijn van wat gepland was, zodat er niets uit verdwijnt.
    .do = Zoek uit wat de starts tegenhield, het maximum aan verbindingen (“max_in_flight”) of de generator zelf; geef dat ruimte en herhaal de run.
finding-CO-CLOSED =
    .seen = In { $scope } duurde de traagste aanroep { $max } tegen een mediaan van { $median }, bij een gesloten belasting.
    .means = Zolang aanroepen traag waren, vroegen gebruikers niets: in productie zouden veel meer aanroepen in de trage periode zijn gevallen. De percentielen zijn hier waarschijnlijk te gunstig.
    .do = Meet hetzelfde werk met een open belasting (“arrivals”) in het tempo van productie.
finding-MEAN-GT-P90 =
    .seen = In { $scope } ligt het gemiddelde ({ $mean }) boven de p90 ({ $p90 }); het traagste tiende deel duurde gemiddeld ten minste { $tail }.
    .means = Enkele zeer trage aanroepen bepalen het gemiddelde. Het beschrijft niet wat een aanroeper meemaakt; gebruik percentielen.
    .do = Stel eisen als percentielen of aandelen, en zoek wat de traagste aanroepen gemeen hebben.
finding-CENSORED =
    .seen = In { $scope } { $timeouts_n ->
        [one] liep één aanroep
       *[other] liepen { $timeouts } aanroepen
    } ({ $share }) tegen de time-out; p{ $quantile } en hoger zijn erdoor begrensd.
    .means = Die percentielen zijn ondergrenzen: de aanroepen hadden minstens zo lang geduurd.
    .do = Zoek uit waarom deze aanroepen niet eindigen; wilt u weten hoe lang ze duren, verhoog dan de time-out en herhaal de run.
finding-ERR-FAST =
    .seen = In { $scope } mislukte { $share } van de aanroepen, met een mediaan van { $failed } tegen { $ok } voor de geslaagde.
    .means = Fouten worden snel beantwoord, dus cijfers over alle aanroepen zien er beter uit dan wat geslaagde aanroepers meemaakten. Lees de rijen apart.
    .do = Zoek eerst de oorzaak van de fouten; vergelijk tot die tijd alleen geslaagde aanroepen.
finding-FEW =
    .seen = In { $scope } { $count_n ->
        [one] slaagde één aanroep
       *[other] slaagden { $count } aanroepen
    }; een p99 met een interval vraagt er { $needed }.
    .means = Hogere percentielen zijn uit zo weinig aanroepen niet te schatten en staan er als “–”.
    .do = Maak het plateau zo lang dat { $needed } aanroepen slagen.
finding-DOWN =
    .seen = { $instance } { $kind ->
        [gone] is geëindigd
        [restart] is herstart
       *[other] bleek niet de bedoelde
    }, { $at } na het begin van de run{ $last ->
        [none] .
       *[other] { " " }({ $noticed } keer gezien, het laatst na { $last }).
    }
    .means = Vanaf dat moment is een ander systeem gemeten dan de bedoeling was. Resultaten van daarna horen niet bij het volledige systeem.
    .do = Lees het logboek van { $instance } rond dat moment, neem de oorzaak weg en herhaal de run.
finding-LEAK =
    .seen = In { $scope } steeg { $series } van { $instance } gedurende { $hold } aan één stuk{ $collections ->
        [none] , met
       *[other] , na { $collections } opruimbeurten, met
    } { $hourly } per uur (95%-interval { $hourly_low } tot { $hourly_high }){ $per_iteration ->
        [none] , tot { $level }.
       *[other] , { $per_iteration } per iteratie, tot { $level }.
    } { $full ->
        [none] Een grens ervan is niet bekend.
       *[other] In dit tempo is de grens bereikt over { $full }{ $full_low ->
            [none] .
           *[other] { " " }({ $full_low } tot { $full_high ->
                [none] nooit
               *[other] { $full_high }
            }).
        }
    }
    .means = { $collections ->
        [none] { $grade ->
            [suspected] Er wordt een geheugenlek vermoed. Alleen de onderkant van de lijn is bekeken, dus het is niet wat wordt weggegooid en opgeruimd; of het een cache zonder grens is, kan deze run niet zeggen.
           *[possible] Een geheugenlek is mogelijk. Onder het halve uur is een stijging niet te onderscheiden van iets dat volloopt.
        }
       *[other] { $grade ->
            [confirmed] Een geheugenlek heeft de heap gevuld: wat na het opruimen overblijft, steeg tot er nauwelijks ruimte over was. Alleen een cache die de heap hoort te vullen, zou er net zo uitzien.
            [suspected] Er wordt een geheugenlek vermoed. Alleen wat na het opruimen overblijft is bekeken, dus het is geen afval; of het een cache zonder grens is, kan deze run niet zeggen.
           *[possible] Een geheugenlek is mogelijk. Onder het halve uur, of met zo weinig opruimbeurten, is een stijging niet te onderscheiden van iets dat volloopt.
        }
    }
    .do = Houd de belasting een uur of langer aan, in twee tempo’s: een lek groeit mee met de aanroepen en stopt niet. Zoek daarna wat { $instance } van elke aanroep bewaart{ $collections ->
        [none] .
       *[other] : een heapdump aan het begin en een aan het eind laten het zien.
    }
finding-CEILING =
    .seen = In { $scope } stond { $series } van { $instance } { $of ->
        [collections] na { $time } van de opruimbeurten dicht bij zijn grens van { $ceiling }; bereikt werd { $reached } ervan.
       *[time] { $time } van de tijd aan zijn grens van { $ceiling }; bereikt werd { $reached } ervan.
    }
    .means = { $of ->
        [collections] Het opruimen laat nauwelijks ruimte over: de volgende aanroepen vinden de heap alweer vol. De cijfers van dit plateau kunnen die van de heapgrootte zijn, niet van het systeem.
       *[time] Wat begrensd is, had geen ruimte meer. De cijfers van dit plateau kunnen die van de grens zijn, niet van het systeem.
    }
    .do = Zoek uit of de grens zo bedoeld is. Verhoog hem, of verlaag de belasting tot er ruimte is, en herhaal de run.
finding-GC-STORM =
    .seen = In { $scope } lag { $instance } { $share } van { $hold } stil voor het opruimen van geheugen (garbage collection), in de slechtste minuut { $worst } ervan. { $full_n ->
        [0] Geen van de opruimbeurten was een volledige
        [one] Eén opruimbeurt was een volledige
       *[other] { $full } opruimbeurten waren volledige, { $per_minute } per minuut
    }{ $sibling ->
        [none] .
       *[other] ; een instantie van dezelfde soort had er { $sibling }.
    }
    .means = Terwijl een heap wordt opgeruimd, wordt niets beantwoord, en wie telkens weer moet opruimen, wint er steeds weinig mee. De responstijden van dit plateau zijn deels die van het opruimen.
    .do = Lees in de bevinding HEAP wat er na het opruimen overblijft. Ligt dat dicht bij het maximum, geef { $instance } dan meer heap of zoek wat hem vult; zo niet, dan maakt het meer afval dan waarvoor de jonge generatie is ingericht.
finding-HEAP =
    .seen = In { $scope } werd de heap van { $instance } { $shape ->
        [none] in { $hold } niet één keer opgeruimd; het gebruik ging van { $first } naar { $last }.
        [few] in { $hold } { $collections_n ->
            [one] één keer
           *[other] { $collections } keer
        } opgeruimd, te zelden om te zeggen waar de ondergrens heen gaat; over bleef eerst { $first } en ten slotte { $last }.
        [returns] in { $hold } { $collections } keer opgeruimd, met { $height } in het midden, en kwam telkens terug op zijn ondergrens: { $first } in het eerste derde deel, { $last } in het laatste.
        [rises] in { $hold } { $collections } keer opgeruimd, met { $height } in het midden, en kwam niet terug op zijn ondergrens: { $first } in het eerste derde deel, { $last } in het laatste.
       *[unclear] in { $hold } { $collections } keer opgeruimd, met { $height } in het midden; wat overbleef ging van { $first } in het eerste derde deel naar { $last } in het laatste.
    }{ $reached ->
        [none] { "" }
       *[other] { " " }Na het opruimen bleef ten hoogste { $reached } van het maximum over.
    }{ $peak ->
        [none] { "" }
       *[other] { " " }Ten hoogste { $peak } ervan was in gebruik.
    }
    .means = { $shape ->
        [none] Zonder opruimen is afval niet te onderscheiden van wat wordt vastgehouden: een geheugenlek is dan niet te zien, en het ontbreken ervan ook niet.
        [few] Er zijn meer opruimbeurten nodig voordat er iets over een ondergrens te zeggen is.
        [returns] Een zaagtand die terugkomt op zijn ondergrens: wat wordt weggegooid, wordt opgeruimd, en er blijft niets achter dat in deze tijd te zien zou zijn.
        [rises] Na het opruimen blijft telkens meer over dan ervoor. { $old_n ->
            [0] De oude generatie is in deze tijd niet opgeruimd, dus wat daarin wacht, kan nog afval zijn.
           *[other] De bevinding LEAK, als die er is, zegt hoeveel.
        }
       *[unclear] De ondergrens beweegt zo sterk dat deze run niet kan zeggen of hij stijgt.
    }
    .do = { $shape ->
        [returns] Niets; een langer plateau zou een langzamer lek laten zien.
       *[other] Houd de belasting aan tot de oude generatie een keer of twintig is opgeruimd: langer, of met een kleinere heap.
    }
finding-DROP =
    .seen = In { $scope } zakte { $figure ->
        [calls] de doorvoer
       *[watched] het tempo van { $exchange }
    } { $at } na het begin (tussen { $at_low } en { $at_high }), na { $count } { $figure ->
        [calls] aanroepen
       *[watched] geteld
    } (tussen { $count_low } en { $count_high }), van { $before } naar { $after }, en bleef daar{ $others_n ->
        [0] .
        [one] ; één ander tempo ook.
       *[other] ; { $others } andere tempo’s ook.
    }{ $shape ->
        [decline] { " " }Het zakte langzaam: de grenzen zijn die van de daling.
       *[step] { "" }
    }
    .means = Vanaf dat moment werd minder gedaan dan daarvoor. Volume en tijd zijn in één run verstrengeld: één run zegt niet welke van beide de oorzaak is.
    .do = Herhaal de run in een ander tempo: komt de daling na hetzelfde aantal, dan telt het volume; na even lange tijd, dan de tijd. Lees de logboeken rond dat moment.
finding-STALL =
    .seen = In { $scope } { $figure ->
        [times] waren aanroepen traag
        [throughput] zakte de doorvoer
       *[watched] stond { $exchange } stil
    } { $every ->
        [none] telkens weer, zonder vast ritme
       *[other] elke { $every }
    }, ongeveer { $lasts } lang { $figure ->
        [times] (gemiddeld { $during } in plaats van { $usual }); { $affected } van de aanroepen werd geraakt
       *[throughput] (tot { $during } van { $usual }); { $affected } van wat gedaan zou zijn, ging verloren
    }. { $repeats } keer gezien, { $duty } van de tijd{ $others_n ->
        [0] .
        [one] , en in één ander tempo.
       *[other] , en in { $others } andere tempo’s.
    } { $with ->
        [none] Geen bewaakte reeks heeft hetzelfde ritme.
       *[other] Op dezelfde momenten: { $with }.
    }{ $working ->
        [none] { "" }
       *[other] { " " }Twee tempo’s, die niet te mengen zijn: gemiddeld { $mean } over de hele tijd, en { $working } tussen de stilstanden ({ $working_low } tot { $working_high }), gemeten in { $working_part } van de tijd.
    }
    .means = Iets zet het systeem telkens weer stil. De hoge percentielen komen uit deze momenten; het gemiddelde verbergt ze.
    .do = { $every ->
        [none] Zoek wat op deze momenten gebeurt: flushes, samenvoegingen, checkpoints, opruimrondes. Leg het logboek daarvan naast de momenten van de stilstanden.
       *[other] Zoek wat elke { $every } draait: een flush, een checkpoint, een opruimronde, een geplande taak. Leg het logboek daarvan naast de momenten van de trage aanroepen.
    }
finding-DRIFT =
    .seen = In { $scope } { $shape ->
        [shift] verschoof { $subject } { $at } na het begin
       *[drift] verliep { $subject } over { $at }
    } van { $before } naar { $after } { $figure ->
        [times] (gemiddelde tijd)
       *[series] (gemeten reeks)
    }{ $others_n ->
        [0] .
        [one] , samen met nog één.
       *[other] , samen met { $others } andere.
    }
    .means = { $figure ->
        [times] { $direction ->
            [up] Onder gelijke belasting werden aanroepen trager. Cijfers over het hele plateau mengen twee toestanden.
           *[down] Onder gelijke belasting werden aanroepen sneller: het begin van het plateau was nog aan het opwarmen.
        }
       *[series] De belasting was gelijk, dit niet. Cijfers over het hele plateau mengen twee toestanden.
    }
    .do = { $direction ->
        [up] Houd de belasting langer aan om te zien waar het eindigt, en kijk wat intussen groeit: gegevens, wachtrijen, verbindingen.
       *[down] Maak de opwarming langer, of beoordeel het laatste deel van het plateau.
    }
finding-SPIKE =
    .seen = In { $scope } steeg { $subject } naar { $greatest } tegen gewoonlijk { $usual }, { $at } na het begin van de belasting, gedurende { $lasted } { $number_n ->
        [one] (één keer)
       *[other] (de hoogste van { $number } pieken)
    }{ $others_n ->
        [0] .
        [one] , samen met nog één.
       *[other] , samen met { $others } andere.
    }
    .means = { $place ->
        [start] Een piek aan het begin: wat één keer gebeurt als de belasting komt, zoals het vullen van pools en caches.
       *[during] Een uitzondering tijdens het plateau. Te zeldzaam voor een ritme, en deel van de cijfers.
    }
    .do = Lees de logboeken van dat moment. Komt het in elke run op dezelfde plaats, dan hoort het bij het systeem; zo niet, herhaal de run.
finding-SKEW =
    .seen = In { $scope } deelden de replica’s van { $group } niet gelijk: { $series } van { $high } was { $greatest }, van { $low } { $least }; de hoogste ligt { $off } boven het gemiddelde.
    .means = De belasting is ongelijk verdeeld, of één replica werkt harder voor hetzelfde. De drukste bepaalt de grens van allemaal.
    .do = Vergelijk het aantal aanroepen per replica: verschilt dat, kijk dan naar de verdeling; zo niet, naar de replica zelf.
finding-NO-RETURN =
    .seen = Na { $scope } stond { $series } van { $instance } nog op { $value } toen het meten stopte, { $watched } na de belasting; vóór de belasting was dat { $baseline }{ $others_n ->
        [0] .
        [one] . Eén andere was ook niet terug.
       *[other] . { $others } andere waren ook niet terug.
    }
    .means = Na de belasting ging iets door, of bleef er iets van achter. Wat hierna draait, begint niet in rust.
    .do = Meet na de belasting langer door (“recovery”), en kijk wat { $instance } dan nog doet.
finding-STILL-BUSY =
    .seen = In { $scope } gold “{ $rule }” nog niet toen de langste wachttijd van { $most } om was: { $standing ->
        [backwards] de teller die { $series } afsluit liep terug terwijl er nog iets openstond, dus is niet bekend wat klaar was
        [drained] { $series } stond op { $value }, en geldt als leeg bij { $high }
        [settled] { $series } stond op { $value }, en het rustniveau ligt tussen { $low } en { $high }
        [unsteady] { $series } bleef geen tien seconden tussen { $low } en { $high }
        [unseen] { $series } is te weinig gemeten om het te kunnen zeggen
       *[held] daarna pas wel
    }{ $left_n ->
        [0] .
        [one] . Eén iteratie stond nog open en is afgebroken.
       *[other] . { $left } iteraties stonden nog open en zijn afgebroken.
    }
    .means = { $standing ->
        [backwards] { $left_n ->
            [0] Een teller die terugloopt is een deel kwijt van wat hij had geteld. Daarom is niet bekend of het systeem alles had afgehandeld wat het had aangenomen.
           *[other] Het systeem had zijn werk niet af: er stonden nog iteraties open. Een teller die terugloopt is een deel kwijt van wat hij had geteld, dus wat er verder nog openstond, is niet bekend.
        }
        [unseen] { $left_n ->
            [0] Het is niet bekend of het systeem zijn werk af had en in rust was.
           *[other] Het systeem had zijn werk niet af: er stonden nog iteraties open. Wat er verder nog openstond, is niet bekend.
        }
       *[other] { $wait ->
            [idle] De belasting begon voordat het systeem tot rust was gekomen. Het rustniveau is dus dat van een systeem dat nog aan het werk was.
            [drain] De belasting liet werk achter dat niet af was. Het systeem nam meer aan dan het afhandelde, en houdt het tempo van de belasting dus niet vol.
            [recovery] Het systeem was lang na de belasting nog aan het werk. Wat hierna draaide, begon niet in rust.
           *[gap] De volgende belasting begon voordat het systeem tot rust was gekomen. Dat kan in de cijfers daarvan te zien zijn.
        }
    }
    .do = { $standing ->
        [backwards] Zoek uit wat de teller heeft teruggezet, zoals een herstart of verwijderde rijen, en herhaal de run.
        [unseen] Kijk waarom { $series } niet is gemeten (de monitor, en de gebeurtenissen van de run), en herhaal de run.
       *[other] Wacht langer (“at_most”), en kijk wat het systeem aan het werk hield.
    }
finding-STATE =
    .seen = Bij het begin van { $scope } stond { $series } van { $instance } op { $now }, { $change } meer dan bij het begin van { $first } ({ $before }).
    .means = Latere plateaus begonnen met meer opgeslagen gegevens dan het eerste. Een deel van het verschil tussen de plateaus komt waarschijnlijk door die volgorde.
    .do = Zet de gegevens tussen de plateaus terug, of voer de plateaus ook in een andere volgorde uit.
finding-IDLE-MEMBERS =
    .seen = In { $scope } hadden { $idle } van de { $members } leden van de groep die { $series } volgt bij geen enkele meting een partitie. Er zijn { $partitions } partities, waarvan { $busiest } er { $share } had.
    .means = Een partitie wordt door maar één lid van een groep gelezen. Deze leden deden dus niets, en de hosts verdelen het werk zo ongelijk als de partities verdeeld zijn.
    .do = { $hosts_n ->
        [one] Start niet meer leden dan er partities zijn: { $each }.
       *[other] Start niet meer leden dan er partities zijn: { $each } op elk van de { $hosts } hosts.
    }
finding-IDLE =
    .seen = Vóór { $scope } stond { $series } van { $instance } op { $baseline }, gemeten over { $seconds } zonder belasting; onder belasting was het { $load }.
    .means = Het verschil is wat de belasting kost; het eerste cijfer is er ook zonder.
    .do = Er is niets te doen; gebruik dit rustniveau als u runs vergelijkt.
finding-NO-ANSWER =
    .seen = In { $scope } { $started_n ->
        [one] slaagde de enige aanroep van { $exchange } niet.
       *[other] slaagde geen van { $started } aanroepen van { $exchange }.
    }
    .means = Dit deel van het systeem werkte niet tijdens de test; verder valt er niets over te beoordelen.
    .do = Voer { $exchange } één keer met de hand uit, lees de fouten in het hoofdstuk van het scenario, en herhaal de run als het werkt.
finding-REPLIES =
    .seen = Van { $scope } kwamen { $right } antwoorden op tijd en juist; { $missing } ontbraken, waarvan er hooguit { $after_all } alsnog kwamen{ $again_n ->
        [0] { "" }
       *[other] { " " }(verdere late antwoorden op dezelfde berichten: { $again })
    }, { $wrong } waren fout en { $duplicate } kwamen dubbel.{ $streams ->
        [none] { "" }
       *[other] { " " }Het meeste ging mis in: { $streams }.
    }
    .means = Een aanvaard bericht is pas klaar als het antwoord er is. Wat hier ontbreekt, was wel aanvaard.
    .do = Volg enkele van deze berichten in de administratie van het systeem zelf: aanvaard, opgeslagen, beantwoord, verzonden.
finding-EVENTS =
    .seen = Van { $scope } kwamen { $right } van { $planned } geplande berichten aan en waren juist; { $missing } kwamen niet op tijd, { $connectionless } hadden geen verbinding om over te komen, { $wrong } waren fout en { $duplicate } kwamen dubbel.
    .means = Elk van deze berichten hoorde bij een verbinding die open had moeten zijn. Wat geen verbinding heeft, ontbreekt evenzeer als wat onderweg verloren gaat.
    .do = Leg ze naast geweigerde openingen en verbroken verbindingen; wat ontbreekt op een verbinding die bleef staan, ging in het systeem of onderweg verloren.
finding-REFUSED =
    .seen = In { $scope } weigerde de andere kant { $refused } van { $started } berichten nadat hun laatste etappe was gesloten; { $taken } van hun iteraties waren toen geslaagd en tellen als mislukt.
    .means = Deze berichten zijn aanvaard en daarna niet verwerkt. De tijden van hun etappes blijven zoals gemeten: het zijn tijden van aanvaarding.
    .do = Lees de voorbeelden van mislukkingen van { $exchange }: daarin staat wat de andere kant zei.
finding-UNCLAIMED =
    .seen = Luisteraar { $listener } nam verzoeken aan die geen etappe sloten: { $ours } noemden een bericht van deze run en daarop werd niet gewacht, { $too_late } kwamen na het einde van hun scenario, { $unknown } noemden geen bericht van deze run, { $unreadable } waren onleesbaar, { $nobodys } waren voor geen enkele driver. Het eerste: “{ $example }”.
    .means = Het systeem stuurde iets waarmee de studie geen rekening houdt. Wat een bericht van deze run noemt, kan veranderen hoe het dat bericht verging.
    .do = Bekijk de voorbeelden bij de gebeurtenissen van de run, en laat de studie wachten op wat het is, of zoek uit wie het stuurt.
finding-SHAPE =
    .seen = De tijden van { $scope } hebben { $modes } { $modes_n ->
        [one] top
       *[other] toppen
    }; de p99 is { $tail } keer de mediaan, de grootste tijd { $extreme } keer de p99, en { $stalled_n ->
        [0] in geen enkele seconde
       *[other] in { $stalled } van de seconden
    } duurden aanroepen meer dan drie keer zo lang als gewoonlijk.
    .means = { $shape ->
        [plain] Geen van deze getallen ligt voorbij zijn grens: niet de toppen, niet de staart en niet de haperingen.
       *[uneven] Een gemiddelde of mediaan beschrijft zulke tijden slecht. Meer toppen zijn meer wegen door het systeem; een lange staart of haperingen zijn aanroepen die ergens op wachtten.
    }
    .do = { $shape ->
        [plain] Uit deze getallen volgt niets; de verdeling zelf staat bij de resultaten.
       *[uneven] Leg de verdeling en de tijden over de run naast elkaar, en zoek wat de trage aanroepen gemeen hebben.
    }
finding-UNEXPLAINED =
    .seen = In { $scope } duurden aanroepen gemiddeld { $to }, in { $other } { $from }. Niets van wat werd bewaakt was druk, vol of liep op.
    .means = Het systeem raakte verzadigd door iets wat niet werd bewaakt. Meer hardware van de soort die wel werd bewaakt, helpt dan niet.
    .do = Bewaak ook de pools, locks, wachtrijen en commits, en wat het systeem aanroept, en herhaal de run.
finding-ARITH =
    .seen = De tekst bij { $scope } zegt { $sum } = { $stated }; uitgerekend is het { $computed }.
    .means = Wat de auteur op dit getal bouwt, rust op een vergissing; geen meting kan dat herstellen.
    .do = Verbeter de som, of laat haar uitrekenen: “capacity” kent volumes en verhoudingen die worden afgedrukt zoals ze zijn berekend.
finding-COPY-TWIN =
    .seen = { $scope } en { $other } hebben tot op het laatste cijfer dezelfde waarden, met een gemiddelde van { $mean }.
    .means = Twee metingen komen nooit zo overeen. Een van beide is vrijwel zeker een kopie van de andere.
    .do = Ga na welke van de twee gemeten is, en laat de andere weg.
finding-FLAT-R =
    .seen = Van { $from } tot { $to } duurde een iteratie van { $scope } bij elke belasting gemiddeld { $mean }, met een spreiding van { $spread } en zonder trend.
    .means = In het geteste bereik ontstond geen wachtrij. De grens ligt boven de hoogste belasting; hoe ver is niet bekend.
    .do = Test hogere belastingen als u de grens wilt weten.
finding-GRID-DIP =
    .seen = Met { $variable } op { $low } ({ $scope }) ging { $low_share } van wat was gepland fout, en bij de grotere waarde { $high } ({ $where }) slechts { $high_share }; hun intervallen raken elkaar niet.
    .means = Fouten nemen niet eenvoudig toe met { $variable }: er verschilde iets anders tussen de twee, en één meting van elk zegt niet wat.
    .do = Herhaal beide combinaties.
finding-INVENTORY-MEMORY =
    .seen = In de opgegeven inventaris heeft { $row } een heap van { $xmx } en een metaspace van { $metaspace }, bij een geheugen van { $memory }.
    .means = Het proces kan door zijn eigen limiet worden beëindigd voordat de heap vol is, of de tabel klopt niet.
    .do = Vergelijk met het draaiende proces en verbeter de tabel of de instellingen.
finding-INVENTORY-RESERVATION =
    .seen = In de opgegeven inventaris reserveert { $row } { $reservation } van een geheugen van { $memory }.
    .means = Er kan niet meer worden gereserveerd dan er is: een van beide getallen is onjuist.
    .do = Vergelijk met het draaiende proces en verbeter de tabel.
finding-INVENTORY-SHIFTED =
    .seen = In de opgegeven inventaris staat bij { $row } onder { $column } { $value }, waar { $usual } gebruikelijk is; { $same ->
        [none] geen andere kolom van de rij heeft het
       *[other] { $same } heeft hetzelfde getal
    }.
    .means = Het getal ziet eruit alsof het in een andere kolom thuishoort.
    .do = Vergelijk met het draaiende proces en verbeter de tabel, of zeg waarom dit onderdeel afwijkt.
finding-INVENTORY-TEXT =
    .seen = In de opgegeven inventaris staat bij { $row } de tekst { $cell } onder { $column }, een kolom met getallen.
    .means = Met deze cel kan niet worden gerekend, en een lezer ziet niet wat nu geldt.
    .do = Schrijf het getal dat geldt, en opmerkingen in een eigen kolom.
finding-INVENTORY-TWIN =
    .seen = In de opgegeven inventaris hebben { $row } en { $other } overal dezelfde waarden.
    .means = Verschillende onderdelen zijn zelden in alles gelijk. De ene rij kan een kopie van de andere zijn.
    .do = Vergelijk beide met de draaiende processen.
finding-INVENTORY-UNITS =
    .seen = In de opgegeven inventaris hebben de getallen onder { $column } verschillende eenheden: { $units }.
    .means = Getallen die onder elkaar staan worden als vergelijkbaar gelezen, en deze zijn dat niet.
    .do = Schrijf overal dezelfde eenheid, liefst in de kop van de kolom.
finding-NONMONO =
    .seen = Bij een belasting van { $failed } ({ $scope }) werd een eis niet gehaald, en bij de hogere belasting van { $held } ({ $where }) wel alle.
    .means = Een verstoring, of een grens die niet met de belasting meegroeit. De capaciteit wordt onder de lagere belasting gelegd tot dit is opgehelderd.
    .do = Herhaal { $scope }.
finding-NOT-REACHED =
    .seen = { $loads } belastingen zijn geprobeerd en geen ervan bleek te hoog; de hoogste, { $load } in { $scope }, gaf een doorvoer van { $throughput }.
    .means = De grens is niet bereikt: de capaciteit is ten minste dit, een ondergrens.
    .do = Test een hogere belasting als u de grens wilt weten.
finding-RATIO =
    .seen = De tekst bij { $scope } zegt “{ $words }”, een factor { $stated }; de twee getallen geven { $computed }.
    .means = Een factor die niet uit zijn eigen twee getallen volgt, hoort misschien bij een ander paar, en niemand kan zien bij welk.
    .do = Noem beide getallen en verbeter de factor, of laat hem uitrekenen: “capacity” kent verhoudingen die hun beide operanden noemen.
finding-REGIME =
    .seen = Tussen de belastingen van { $scope } { $kind ->
        [instance] viel de instantie { $what } uit of werd zij herstart
        [configuration] liep het systeem met verschillende waarden van { $what }
       *[errors] beginnen fouten van de klasse { $what } bij één belasting en ontbreken ze bij andere
    }.
    .means = Deze belastingen zijn niet op hetzelfde systeem gemeten. Er mag geen curve doorheen worden gelegd en geen groei van de ene naar de andere worden gelezen.
    .do = Herhaal de belastingen aan één kant van de verandering.
finding-SIGNIFICANT =
    .seen = { $statistic } van { $other } ligt { $direction ->
        [down] lager
       *[up] hoger
    } dan die van { $base }: { $change }{ $kind ->
        [points] { " " }(als verschil van aandelen)
       *[ratio] { "" }
    }, interval { $low } tot { $high }.
    .means = Het hele interval ligt buiten de band, dus toeval binnen de runs verklaart het niet.
    .do = Kijk eerst waarin de twee kanten verschillen voordat een oorzaak wordt genoemd; de vergelijking somt het op.
finding-NO-BASE =
    .seen = { $other } is met { $base } vergeleken met één run per kant.
    .means = Hoeveel twee gelijke runs hier verschillen is niet bekend, dus de intervallen bevatten wat deze twee runs lieten zien en niet meer.
    .do = Herhaal beide kanten, om en om: “repeat: 2” of meer. Vanaf vier herhalingen per kant veronderstelt de vergelijking niets over hun spreiding.
finding-ROUNDING =
    .seen = De verandering van { $statistic } ligt alleen al door de cijfers van beide waarden tussen { $low } en { $high }.
    .means = Eén percentage zou fijner zijn dan de waarden waaruit het is gemaakt.
    .do = Noem het bereik, of de twee waarden.
finding-UNIT =
    .seen = De tekst bij { $scope } zegt { $first } = { $second }; omgerekend is het eerste { $computed }{ $unit }.
    .means = Een van de twee is niet wat bedoeld was: onderweg ging een factor verloren, of wat de eenheid telt.
    .do = Verbeter het getal of de eenheid, en zeg wat er geteld wordt: verzoeken van één soort, van alle soorten, of iteraties.
finding-UNUSED =
    .seen = De aanname { $name } = { $value } is opgegeven, en niets gebruikt haar.
    .means = Wat er elders over wordt gezegd, is er niet uit berekend.
    .do = Gebruik haar als variabele in een belasting of een volume, of verwijder haar.
finding-WARM-UP =
    .seen = { $scope } was niet vanaf het begin stabiel, na een opwarming van { $declared }. { $shape ->
        [settles] Zonder de eerste { $cut } is { $figure ->
            [times] de gemiddelde tijd
           *[throughput] de doorvoer
        } van { $exchange } { $after }; over het hele plateau is dat { $before }, het begin verschuift het dus met { $moved }
       *[never] In de eerste helft ({ $cut }) trad geen rust in: over de laatste helft is { $figure ->
            [times] de gemiddelde tijd
           *[throughput] de doorvoer
        } van { $exchange } { $after }, over het hele plateau { $before }, een afwijking van { $moved }
    }{ $others_n ->
        [0] .
        [one] ; één andere uitwisseling was evenmin stabiel.
       *[other] ; { $others } andere uitwisselingen waren evenmin stabiel.
    }
    .means = Er is niets weggelaten: elk cijfer van dit plateau bevat het begin en spreekt dus ook van het opwarmen.
    .do = { $typed ->
        [none] Houd de belasting langer aan en beoordeel het laatste deel (“last … of hold”).
       *[other] Schrijf “{ $typed }” in deze belasting en herhaal de run, of beoordeel het laatste deel van het plateau.
    }

## Capacity

capacity-title = Capaciteit
capacity-intro = Capaciteit wordt als interval gegeven: van de hoogste belasting die het systeem volhield tot de laagste die het niet volhield. Een belasting is volgehouden als aan elke verplichte eis is voldaan en de generator niet de oorzaak is. Waar geen belasting te hoog bleek, is er alleen een ondergrens.
capacity-users = { $users } { $users_n ->
    [one] gebruiker
   *[other] gebruikers
}
capacity-between = { $scenarios }: de capaciteit ligt tussen { $held }, volgehouden met een doorvoer van { $throughput }, en { $failed }, niet volgehouden.
capacity-at-least = { $scenarios }: de capaciteit is ten minste { $held }, met een doorvoer van { $throughput }. Geen hogere belasting is geprobeerd en te hoog gebleken, dus dit is een ondergrens.
capacity-below = { $scenarios }: de capaciteit ligt onder { $failed }. Geen enkele belasting is volgehouden.
capacity-nothing = { $scenarios }: bij geen enkele belasting slaagde ook maar één iteratie, dus deze run zegt niets over de capaciteit. Zoek eerst uit waarom de aanroepen mislukten.
capacity-unknown = { $scenarios }: van geen belasting is aangetoond dat het systeem haar volhield of juist niet, dus over de capaciteit valt niets te zeggen.
capacity-law = De curve buigt: contentie { $sigma }, coherentie { $kappa }, en volgens de Universal Scalability Law een top bij { $peak } gebruikers. De wet is een aantekening bij de curve en geen capaciteit.
capacity-knee = Boven { $load } levert verdere belasting duidelijk minder extra doorvoer op dan daarvoor (Kneedle; een aantekening).
held-yes = volgehouden
held-no = niet volgehouden
held-unknown = niet te bepalen
table-levels = Geprobeerde belastingen: { $scenarios }
note-levels = De tijd van een iteratie is het gemiddelde van de geslaagde iteraties, zonder denktijd. “Niet te bepalen” staat er als geen verplichte eis geldt, als een oordeel niet te geven was, of als de generator de oorzaak kan zijn.
col-tried = Belasting
col-iteration-time = Tijd van een iteratie
col-held = Volgehouden
ladder-title = Wat elk scenario begrensde
ladder-intro = Mogelijke grenzen worden in een vaste volgorde nagegaan, van de generator tot een achterliggend systeem, omdat een eerdere grens verklaart wat bij een latere te zien is. Bij twee signalen die overeenstemmen heet een grens waarschijnlijk, bij één mogelijk. Een signaal bewijst geen oorzaak.
ladder-none = { $scope } bij { $load }: geen grens gevonden.
ladder-invalid = { $scope } bij { $load }: de meting is ongeldig, dus over een grens is niets te zeggen.
ladder-observed = { $scope } bij { $load }: { $rung } is een { $state ->
    [likely] waarschijnlijke
   *[possible] mogelijke
} grens ({ $signals }).
ladder-others = { $signal }, en evenzo bij { $others_n ->
    [one] één andere instantie
   *[other] { $others } andere instanties
}
ladder-rung = { $rung ->
    [generator] de belastinggenerator
    [instance_down] een uitgevallen instantie
    [ceiling] een hard plafond
    [resource] een verzadigd middel
    [software] de software zelf
   *[downstream] een achterliggend systeem
}
ladder-state = { $state ->
    [likely] waarschijnlijk
    [possible] mogelijk
    [not_observed] niet gevonden
   *[not_watched] niet bewaakt
}
ladder-signal = { $signal ->
    [at_ceiling] { $metric } van { $instance } stond { $time } van de tijd op { $share } van het plafond
    [behind] van de { $offered } aangeboden werden er maar { $ended } voltooid, mislukte meegeteld
    [connections_bound] alle { $bound } verbindingen van de grens in de studie waren { $time } van de tijd in gebruik
    [failures] { $share } van de iteraties mislukte
    [generator_sign] { $sign } lag voorbij de drempel
    [instance_lost] { $instance } { $kind ->
        [gone] viel uit
       *[restart] werd herstart
    }
    [piled_up] het aantal iteraties onderweg groeide binnen het plateau van { $from } naar { $to }
    [queue_grew] { $metric } van { $instance } groeide van { $from } naar { $to }, sterker dan de belasting
    [refused] { $share } van de aanroepen werd geweigerd of verbroken
    [run_queue] een wachtrij (run queue) van { $queue } op { $cores } cores
    [saturated] { $metric } van { $instance } stond op { $utilisation }
    [slower] een iteratie duurde { $to } tegen { $from } bij de laagste belasting
    [throughput_flat] { $load } keer de belasting, en de doorvoer ging van { $from } naar { $to }
   *[wait_grew] { $metric } van { $instance } groeide van { $from } naar { $to }
}
table-ladder = Mogelijke grenzen van elk scenario, bij zijn hoogste belasting
note-ladder = “Niet bewaakt” betekent dat geen monitor van deze studie het had kunnen tonen. De software zelf komt pas in aanmerking als niets van wat is bewaakt drukker was dan 70%.
col-rung = Niveau
col-evidence = Bewijs
ladder-no-resources = Er is geen gebruik van processoren of schijven bewaakt, dus over middelen valt niets te zeggen.
table-resources = Middelen bij de hoogste belasting van elk scenario, drukste eerst
note-resources = Processortijd van een proces is een aandeel van alle cores van de machine. “Vraag van een iteratie” is de tijd die één iteratie van één core of schijf gebruikt. De laatste kolom is de doorvoer waarbij het middel 90% zou bereiken als de vraag gelijk blijft; zij belooft niet dat die doorvoer haalbaar is.
col-resource = Middel
col-use-demand = Vraag van een iteratie
col-at-limit = Bij 90%
resource-one-load = uit één of twee belastingen; gebruik in rust telt als vraag mee
healthiest-title = De gezondste stap
healthiest-intro = De gezondste stap is die met de hoogste doorvoer van alle stappen die alles doorstonden: wat ervan wordt geëist, niet meer fouten dan toegestaan, alle replica’s in leven, ruimte op de processor, geheugen dat niet groeit, niets dat blijft liggen, een geldige meting, en niets dat om een verklaring vraagt. Wat niet kon worden aangetoond, telt als niet doorstaan.
healthiest-asked = Van elke stap geëist: { $needs }.
healthiest-asked-nothing = Voor deze stappen geldt geen eis; alleen de andere voorwaarden zijn bekeken.
healthiest-is = { $name }: { $steps_n ->
    [one] de enige stap doorstond alles, { $step }
   *[other] de gezondste van { $steps } stappen is { $step }
}, bij { $load }, met { $rate }.
healthiest-none = { $name }: { $steps_n ->
    [one] de enige stap doorstond niet alles
   *[other] geen van de { $steps } stappen doorstond alles
}, dus er is geen stap om op door te rekenen.
healthiest-figures = Van wat was gepland mislukte { $failed }; de p95 van de traagste uitwisseling was { $p95 }; de drukste processor stond op { $processor }.
healthiest-unknown = niet bekend
healthiest-once = Deze stap is één keer uitgevoerd, en dat laat niet zien hoe vaak hij zou slagen. Herhaal hem voordat u een capaciteit toezegt.
healthiest-sure = De stap slaagde in { $passed } van de { $passed } herhalingen. Met een betrouwbaarheid van { $confidence } (Clopper–Pearson, eenzijdig) zou dat in minstens { $share } van de herhalingen zo zijn.
healthiest-unseen = { $unseen ->
    [earlier] Pogingen die een eerdere run heeft uitgevoerd, horen niet bij deze stappen; ze staan in het hoofdstuk over het zoeken naar de grens.
    [memory] Er werd geen geheugen bewaakt, dus groei daarvan kon niet worden gezien.
    [memory_short] De stap duurde te kort om groei van het geheugen vast te stellen.
    [processor] Er werd geen processor van het systeem bewaakt, dus over de ruimte daarop is niets bekend.
   *[trial] Dit was een proef: de verkorte stappen zeggen niets over trends of volumes.
}
healthiest-lost = { $reason ->
    [anomaly] iets in de stap vraagt om een verklaring: { $finding } ({ $rule })
    [backlog] de hele stap lang kwam er meer binnen dan er werd beantwoord: { $finding }
    [broken] aan { $requirement } werd niet voldaan
    [cut_short] de run eindigde voordat alles was vastgelegd
    [degraded] een replica ontbrak of werd opnieuw gestart: { $instance }
    [failed] { $share } van wat was gepland mislukte of werd nooit verzonden, meer dan { $limit }
    [invalid] de meting is niet geldig: { $sign }
    [lower] doorstond alles, maar met minder dan { $best }
    [memory] het geheugen groeide of stond aan zijn grens: { $finding } ({ $rule })
    [no_rate] het tempo kon niet worden gemeten
    [not_met] aan { $requirement } werd niet voldaan: { $value }, limiet { $limit }
    [nothing_ok] niets slaagde
    [processor] geen ruimte: { $metric } van { $instance } stond op { $share }; vanaf { $limit } is er geen ruimte meer
    [undrained] { $ended } van de { $offered } aangeboden werden beantwoord en { $left } iteraties bleven over
   *[unproven] of aan { $requirement } werd voldaan, is niet te bepalen
}
healthiest-lost-in = { $why } (in { $count } van de { $all } herhalingen)
healthiest-best = de gezondste
table-healthiest = Stappen van { $name }, en waarom elk niet de gezondste is
healthiest-col-processor = Drukste processor
healthiest-col-passed = Geslaagd
healthiest-passed = { $passed } van { $all }
healthiest-col-why = Waarom deze niet
note-healthiest = “Geslaagd” zegt in hoeveel van zijn herhalingen er niets tegen een stap sprak. De doorvoer is het gemiddelde over de herhalingen, met een interval van 95% waar er meer dan één was.
summary-healthiest-none = { $name }: geen enkele stap doorstond alles wat hem gezond maakt.
summary-volume = { $name }: { $volume }, berekend als { $expression }.
volumes-title = Volumes en verhoudingen
volumes-intro = Elk volume is berekend met de uitdrukking die ernaast staat, uit het tempo zoals het is afgedrukt. De uren, de dagen en de piekfactor zijn van de auteur; wat een jaar brengt, is hier niet gemeten.
volume-refused = niet berekend
volume-upper-bound = een bovengrens: er is een gelijkmatige belasting dag en nacht aangenomen
volume-as-stated = bij de opgegeven uren en dagen
capacity-refused = { $reason ->
    [cannot_tell] Of de eis { $requirement } bij dit tempo wordt gehaald, is niet te bepalen.
    [cut_short] De run eindigde voordat het hele venster was gezien.
    [degraded] Het venster is niet geldig: { $sign } ({ $where }).
    [drained_late] Wat deze belasting achterliet was pas { $drain } daarna af: over belasting ({ $load }) en uitloop samen is het tempo { $rate }, en meer is niet vol te houden.
    [earlier] De eerste pogingen van { $scenario } zijn in een eerdere run gedaan, en daar kan een gezondere bij zijn.
    [no_healthiest] Geen stap van { $scenario } doorstond alles, dus er is er geen om op door te rekenen.
    [no_value] Het tempo kon niet worden gemeten.
    [not_met] De eis { $requirement } wordt bij dit tempo niet gehaald, dus het systeem houdt dit tempo niet vol.
    [still_busy] Toen de uitloop om was, gold “{ $rule }” niet: wat de belasting had achtergelaten was niet af.
    [trial] Dit was een ingekorte proefrun; daarop is geen volume te baseren.
   *[undrained] { $ended } van de { $offered } aangeboden werden beantwoord en { $left } iteraties bleven over: niet alles wat binnenkwam werd afgehandeld.
}
table-volumes = Volumes
note-volumes = Het interval is dat van het tempo in deze run. De cijfers staan naast het woord, omdat een biljoen niet in elke taal hetzelfde getal is.
table-ratios = Verhoudingen
col-rate = Tempo, en waar
col-expression = Uitdrukking
col-volume = Volume
col-remark = Opmerking
col-operands = Operanden
label-not-held = niet volgehouden
label-offered = aangeboden
fig-capacity-caption = Doorvoer tegen belasting: { $scenarios }
fig-capacity-seen = De doorvoer ging van { $from } bij { $low } naar { $to } bij { $high }.
fig-capacity-means-between = De grens ligt tussen de twee hierboven genoemde belastingen; wat ertussen ligt is niet geprobeerd.
fig-capacity-means-bound = De curve is niet tot haar einde gevolgd: de werkelijke capaciteit kan veel hoger zijn.
fig-capacity-means-below = Zelfs de laagste belasting was te veel; lagere belastingen zijn nodig om er een te vinden die het systeem volhoudt.
fig-capacity-means-unknown = De curve toont wat eruit kwam, niet of het goed genoeg was: geen eis geeft hier uitsluitsel.

## Exchanges, legs, streams

model-streams = { $streams_n ->
    [one] Eén berichtstroom start ze, een rij van de gegevensset { $set }.
   *[other] { $streams } berichtstromen starten ze om beurten, elk een rij van de gegevensset { $set }.
}
exchanges-title = Uitwisselingen
assumptions-title = Aannames
assumptions-none = De studie noemt geen aanname (“assume”).
sequence-title = Verloop van een uitwisseling
sequence-steps = { $steps_n ->
    [one] Voor elk verzoek doorloopt het systeem deze stap, zoals de studie hem noemt:
   *[other] Voor elk verzoek doorloopt het systeem deze { $steps } stappen, zoals de studie ze noemt:
}
sequence-lab = belastinggenerator
sequence-system = getest systeem
sequence-request = verzoek, vanaf de geplande start
sequence-work = Wat het systeem doet
sequence-here = antwoord op dezelfde verbinding
sequence-matched = later, op een eigen verbinding
sequence-matched-within = later, op een eigen verbinding, binnen { $limit }
sequence-listener = luisteraar { $name }
sequence-listeners = luisteraar van het lab
sequence-listener-is = van het lab
fig-sequence-what = Verloop van { $exchange }, uit het plan
fig-sequence-finds = { $exchange } heeft { $legs } etappes op één verbinding
fig-sequence-finds-later = { $exchange } heeft { $legs } etappes; { $later_n ->
    [one] één komt later, langs een andere weg
   *[other] { $later } komen later, langs een andere weg
}
fig-sequence-seen = De generator zendt { $exchange } naar het systeem; er volgen { $legs } etappes: { $list }.
fig-sequence-means = Elke etappe heeft eigen tijden en fouten.
fig-sequence-means-later = Het latere antwoordbericht telt niet mee in de tijd van het antwoord. Elke etappe heeft eigen tijden en fouten; alle tijden tellen vanaf de geplande start van het verzoek.
fig-sequence-reading = De tijd loopt naar beneden en is niet op schaal. Doorgetrokken lijnen zijn verzoeken, gestreepte lijnen wat terugkomt. Het werk staat naast de pijlen, omdat het plan niet zegt na welke stap het antwoord vertrekt.
features-title = Wat is beproefd, en wat niet
features-intro = Elke driver geeft op wat zijn protocol kan en wat de uitwisselingen van deze studie daarvan gebruiken. Geen getal in dit rapport zegt iets over wat niet is beproefd.
exercised-yes = beproefd
exercised-no = niet beproefd
table-features = Eigenschappen van het protocol
note-features = Zoals de drivers het opgeven, uit de instellingen van elke uitwisseling.
legs-title = Etappes en latere antwoorden
legs-intro = Een etappe die bij een luisteraar van het lab eindigt, is afgesloten zodra daar de eerste byte van het antwoord is gelezen; de responstijd telt vanaf de geplande start van het verzoek.
legs-at-listeners = De luisteraars van het lab ontvingen { $requests } { $requests_n ->
    [one] verzoek
   *[other] verzoeken
}: { $handed } voor een open uitwisseling{ $too_late_n ->
    [0] { "" }
   *[other] , { $too_late } na het einde van hun scenario
}{ $unasked_n ->
    [0] { "" }
   *[other] , { $unasked } die een bericht van deze run noemden en niet werden verwacht
}{ $unknown_n ->
    [0] { "" }
   *[other] , { $unknown } zonder bijbehorende uitwisseling
}{ $unreadable_n ->
    [0] { "" }
   *[other] , { $unreadable } onleesbaar
}{ $unclaimed_n ->
    [0] { "" }
   *[other] , { $unclaimed } voor geen enkele driver
}.
legs-at-listeners-left = Ze worden eens per seconde gelezen; na de laatste keer { $left_n ->
    [one] kwam nog één antwoord
   *[other] kwamen nog { $left } antwoorden
}.
table-legs = Etappes van { $scenario }: wat is gestart, en wat ervan is geworden
note-legs = Alle stappen samen. Wat ontbreekt, kwam niet binnen zijn tijd; “te laat” kwam daarna nog, en “dubbel” kwam een tweede keer: beide worden apart geteld, want hun etappe is dan al afgesloten. “Nog open” is wat het einde van de uitloop afkapte.
streams-title = Berichtstromen
streams-intro = Elke stroom is een eigen identiteit, een rij van de gegevensset { $set }, en is genoemd naar de eerste kolom daarvan.
table-streams = Stromen van { $scenario }
note-streams = Aantallen gelden voor alle stappen, tijden voor wat in het beoordeelde deel slaagde.
fig-streams-what = Gemiddelde tijden van { $what } per stroom, { $scenario }
fig-streams-finds = Aanroepen van de traagste stroom, { $slowest }, duren gemiddeld { $factor } keer zo lang als die van de snelste
fig-streams-seen = Van { $streams } stromen heeft { $fastest } het kortste gemiddelde, { $low }, en { $slowest } het langste, { $high }. { $failed_n ->
    [0] In geen enkele stroom is een aanroep mislukt.
    [one] Eén aanroep is mislukt.
   *[other] { $failed } aanroepen zijn mislukt, in { $with_failures } van de stromen.
}
fig-streams-means-uneven = Vanaf { $limit } keer gelden stromen als ongelijk bediend: één gemiddelde over alle beschrijft er geen, en de trage stromen verdienen een eigen onderzoek.
fig-streams-means-even = Dat blijft onder { $limit } keer: geen stroom wordt ten koste van een andere bediend.
fig-streams-reading = Een rij is een stroom, een vakje { $width } aan geplande starts; hoe donkerder, hoe langer de geslaagde aanroepen duurden (op een logaritmische schaal). Een oranje stip is een vakje met fouten. Rechts staat het gemiddelde van het beoordeelde deel.
fig-awaiting-what = Antwoorden die nog werden verwacht, { $scenario }
fig-awaiting-finds = { $most_n ->
    [one] Hoogstens één antwoord werd tegelijk verwacht
   *[other] Hoogstens { $most } antwoorden werden tegelijk verwacht
}
fig-awaiting-seen = Het maximum, { $most }, werd bereikt op { $when }; aan het einde van het scenario { $left_n ->
    [one] was het er { $left }
   *[other] waren het er { $left }
}.
fig-awaiting-means-grows = Over het beoordeelde deel groeide dat gemiddeld van { $begin } naar { $end }: antwoorden kwamen langzamer dan verzoeken vertrokken, en bij deze belasting groeit de achterstand.
fig-awaiting-means-rises = Over het beoordeelde deel steeg dat gemiddeld van { $begin } naar { $end }. Geen bevinding zegt dat werk zich ophoopte, dus het kan daarbij blijven.
fig-awaiting-means-level = Het hoopte zich niet op, en aan het einde stond niets open: wat was aangenomen, is beantwoord of als ontbrekend geteld.
fig-awaiting-means-left = Het hoopte zich in het beoordeelde deel niet op; wat aan het einde nog openstond ({ $left }), is als zodanig geteld en als niets anders.
fig-awaiting-reading = Het hoogste van elke seconde: verzoeken die op hun eigen verbinding zijn beantwoord en waarvan latere etappes nog niet waren gekomen.
axis-awaited = Verwachte antwoorden
label-awaited = verwacht
counted-title = Aangenomen en verwerkt
fig-counted-what = Aangenomen en verwerkt, { $what }, { $scenario }
fig-counted-finds-kept = Alles wat was aangenomen, was verwerkt toen de belasting eindigde
fig-counted-finds-drained = Alles wat was aangenomen, was { $time } na het einde van de belasting verwerkt
fig-counted-finds-left = { $left_n ->
    [one] Eén eenheid was aangenomen en bij de laatste telling niet verwerkt
   *[other] { $left } eenheden waren aangenomen en bij de laatste telling niet verwerkt
}
fig-counted-finds-unseen = Na het einde van de belasting is niet meer geteld
fig-counted-seen = Bij de laatste telling waren er { $accepted } aangenomen en { $through } verwerkt. De meeste die nog openstonden, { $most }, waren er op { $when }; de hoogste leeftijd, { $age }, was op { $then }.
fig-counted-means-kept = Wat was aangenomen, werd zo snel afgemaakt als het kwam.
fig-counted-means-drained = Toen de belasting eindigde, stond een deel van wat was aangenomen nog open; het afmaken duurde { $time }.
fig-counted-means-left = Wat bij de laatste telling over was, wacht nog of is verloren; een telling zegt niet welk van beide.
fig-counted-means-unseen = Of alles wat was aangenomen ook verwerkt werd, is niet bekend. Geef het scenario een `drain` of een `recovery`.
fig-counted-reading = Beide lijnen zijn cumulatief. De verticale afstand ertussen is de achterstand. De horizontale afstand is de leeftijd: hoe lang geleden er zoveel eenheden waren aangenomen als er nu verwerkt zijn. De leeftijd is afgeleid; geen eenheid is gevolgd, en het is alleen die van de oudste als eenheden in volgorde van binnenkomst worden gedaan.
axis-counted = Cumulatief: { $unit }
unit-calls-carried = aanroepen
label-accepted = aangenomen
label-through = verwerkt
label-age = leeftijd { $age } (afgeleid)
label-drained = niets over na { $time }
col-accepted = Aangenomen
col-through = Verwerkt
col-counted-backlog = Achterstand
col-age = Leeftijd (afgeleid)
in-short-title = In één regel
in-short-findings = Wat deze getallen raakt:
table-in-short = { $measure ->
    [service] Servicetijden van { $scenario } in het kort
   *[response] Responstijden van { $scenario } in het kort
}
note-in-short = De cijfers zijn die van het beoordeelde deel. Tijden gelden voor geslaagde aanroepen; het foutpercentage is een aandeel van alles wat was gepland.
in-short-min = De kortste tijd van een geslaagde aanroep in het beoordeelde deel.
in-short-mean = Het rekenkundig gemiddelde van die tijden. Ligt het boven “90%”, dan bepalen enkele zeer trage aanroepen het.
in-short-max = De langste tijd van een geslaagde aanroep.
in-short-p90 = Negen op de tien geslaagde aanroepen duurden niet langer (nearest rank). In alle andere cijfers tellen ook de overige aanroepen mee.
in-short-error = Het aandeel van de geplande aanroepen dat niet slaagde: mislukt, ontbrekend, verkeerd of nooit gestart.
table-in-short-words = Kolommen van de resultatentabellen
behaviour-load = Gegenereerde load
behaviour-processor = Processor
behaviour-memory = Geheugen
behaviour-rest = Overige reeksen en gebeurtenissen
behaviour-none = Geen monitor van deze studie heeft dit bewaakt.
reconciliation-title = Aansluiting van aantallen
reconciliation-intro = Er moet evenveel zijn verzonden, geaccepteerd, opgeslagen en beantwoord. Een verschil betekent verlies of een dubbel bericht, hoe hoog het slagingspercentage ook is.
reconciliation-none = Geen eis van dit scenario stelt aantallen aan elkaar gelijk; niets toont dus aan dat wat is geaccepteerd ook is opgeslagen.
table-reconciliation = Aantallen van { $scenario } naast elkaar gelegd
table-reconciliation-sums = Aantallen van { $scenario } naast elkaar gelegd, stromen met hetzelfde oordeel samen
note-reconciliation = Volledig geteld, over de tijd die elke regel noemt. Waar een regel per stroom wordt beoordeeld, gelden de oordelen per stroom.
table-planned = Stappen van { $scenario } zoals gepland
note-planned = Wat is gerealiseerd, staat bij de resultaten van het scenario.
setup-hardware = Hardware
setup-software = Software
table-software = Componenten met versie en geheugen
note-software = De versie is door het proces zelf opgegeven; het geheugen is de vastgelegde grens van het proces of van zijn heap. Beide komen in het hele rapport uit deze ene bron. “–”: niet opgegeven.
property-word = { $property ->
    [clock_source] Klokbron
    [program] Programma
    [version] Versie
    [command_line] Opdrachtregel
    [descriptors_soft_limit] Descriptors, zachte grens
    [descriptors_hard_limit] Descriptors, harde grens
    [ports_for_outgoing_connections] Poorten voor uitgaande verbindingen
    [cores_it_may_use] Cores die het mag gebruiken
    [weight_against_the_system] Gewicht tegenover het systeem
   *[other] { $property }
}
captured-word = { $value ->
    [instances_run_at_nice_5__so_that_load_threads_come_first_on_a_full_machine] instanties draaien met nice 5, zodat de threads van de belastinggenerator op een volle machine voorgaan
   *[other] { $value }
}
col-sender = Van
col-receiver = Naar
col-leg = Etappe
col-how = Hoe
col-awaited = Verwacht
col-stream = Stroom
col-other-failures = Andere fouten
col-our-faults = Fouten van studie of generator
col-feature = Eigenschap
col-exercised = In deze studie
col-test = Test
col-p90 = 90%
col-error = Error %
col-term = Term
col-description = Omschrijving
col-iterations = Iteraties
col-component = Component
col-version = Versie
col-memory = Geheugen
col-property = Eigenschap

## Components

components-title = Onderdelen van het systeem
components-intro = Wat de auteur over de onderdelen opgeeft ({ $file }), en wat van de draaiende processen is vastgelegd. De twee worden gescheiden gehouden.
components-stated = De volgende tabel is door de auteur opgegeven en niet gemeten.
table-components-stated = Onderdelen zoals opgegeven in { $file }
components-sound = De opgegeven tabel is nagekeken op tekst tussen getallen, gemengde eenheden, heaps en reserveringen boven het geheugen, gelijke rijen en waarden die niet op hun plaats staan; er is niets gevonden.
components-not-captured = Van de draaiende processen is niets vastgelegd om deze tabel naast te leggen.
table-components-captured = Onderdelen zoals vastgelegd van de draaiende processen
note-components-captured = Vastgelegd door loadproof toen de run begon.

# Het eerste scherm.
overview-title = Samenvatting
overview-tested = Getest: { $system }. Belasting: { $loads }.
overview-no-load = Getest: { $system }. Geen belasting duurde lang genoeg voor een oordeel.
overview-more-loads = { $left_n ->
    [one] en nog één scenario
   *[other] en nog { $left } scenario’s
}
overview-load-users = { $scenario } met { $most_n ->
    [one] 1 gebruiker
   *[other] { $most } gebruikers
} gedurende { $length }
overview-load-held = { $scenario } met { $most_n ->
    [one] 1 open gehouden verbinding
   *[other] { $most } open gehouden verbindingen
 } ({ $sends ->
    [sending] elk met een bericht om de { $every }
    [owed] elk met recht op een gebeurtenis om de { $every }
    [published] geabonneerd, met om de { $every } een gebeurtenis voor allemaal
   *[listening] die alleen luisteren
 }), { $length } lang
overview-load-grid = { $scenario } met { $variables_n ->
    [one] elke waarde van { $list }
   *[other] { $cells } combinaties van { $list }
}, telkens tot { $length }
overview-load-rate = { $steps ->
    [one] { $scenario } met { $most } gedurende { $length }
   *[other] { $scenario } met { $least } tot { $most } gedurende in totaal { $length }
}
overview-of-verdict = { $verdict ->
    [not_met] Niet voldaan: { $list }.
   *[other] Niet te bepalen: { $list }.
}
overview-one = { $name } ({ $place }{ $others_n ->
    [0] { "" }
    [one] { " " }en één andere plaats
   *[other] { " " }en { $others } andere plaatsen
}){ $compared ->
    [yes] : { $measured } bij een grens van { $limit }
   *[other] { "" }
}
overview-more = { $left_n ->
    [one] en nog één
   *[other] en nog { $left }
}
overview-faults = Voor deze run waren storingen ingeschakeld: { $list }. De cijfers zijn die van een systeem dat met opzet slecht functioneert.
overview-set = Ingesteld op de opdrachtregel: { $list }.
overview-set-scenarios = Ingesteld per scenario: { $list }.
glance-limit = { $of ->
    [service] grens { $limit } voor de servicetijd
   *[response] grens { $limit }
}
fig-whole-run-what = De hele run, seconde voor seconde
fig-whole-run-finds = De traagste aanroep duurde { $slowest }, op { $at } in { $scenario }
fig-whole-run-seen = { $ended_n ->
    [one] Eén iteratie slaagde
   *[other] { $ended } iteraties slaagden
} en { $failed_n ->
    [one] één mislukte
   *[other] { $failed } mislukten
}.
fig-whole-run-means = Er is geen gebeurtenis vastgelegd die de run onderbrak.
fig-whole-run-means-events = { $events_n ->
    [one] Er is één gebeurtenis vastgelegd, gemarkeerd met een gestreepte lijn.
   *[other] Er zijn { $events } gebeurtenissen vastgelegd, gemarkeerd met gestreepte lijnen.
}
fig-whole-run-reading = Gearceerde delen worden niet beoordeeld. De tijden zijn responstijden, bij een gesloten belasting servicetijden, op een logaritmische schaal.
fig-whole-run-ended = Geëindigde iteraties per seconde
fig-whole-run-times = Tijden, ms
fig-whole-run-slowest = traagste aanroep
fig-whole-run-median = mediaan van de traagste uitwisseling
resources-title = Wat het systeem verbruikte
resources-nothing = In geen enkele beoordeelde werklast is iets bewaakt.
axis-run = Tijd sinds het begin van de run (min:s)

# What was asked.
requests-title = Wat werd gevraagd
table-transactions-made = Waaruit transacties bestaan
table-requests = Verzoeken
requests-none = De studie is niet leesbaar; wat werd gevraagd is dus niet bekend.
requests-no-checks = volgens het protocol alleen (HTTP: een status 2xx)
requests-outside = alleen voorbereiding
col-sent = Verstuurd
col-right-if = Goed als
col-timeout = Time-out
col-share-of-work = Aandeel in de aanroepen
requests-at-once = gelijktijdig met andere, hoogstens { $most } tegelijk
note-requests = Namen in $(…) worden voor elke aanroep ingevuld. Het aandeel is dat in alle aanroepen die in beoordeelde stappen waren gepland.
note-requests-think = { $name }: een iteratie bevat in totaal { $think } denktijd.
note-requests-think-mean = { $name }: een iteratie bevat gemiddeld { $think } denktijd.
note-requests-think-more = { $name }: voorwaarden voegen hoogstens { $more } denktijd toe.
overview-generator = Van de starts viel 99% binnen { $late } na het geplande moment; de belastinggenerator was { $cpu } van zijn processortijd bezig.
overview-rules = { $silent_n ->
    [one] De andere regel vond niets.
   *[other] De andere { $silent } regels vonden niets.
}
overview-rules-alone = { $silent } regels vonden niets.

## Traagste aanroepen

col-trace = Trace-id
table-slowest = Traagste aanroepen in { $scenario }
note-slowest = Van elke uitwisseling hoogstens { $most } aanroepen, de traagste eerst, met { $measure ->
    [service] hun servicetijden, gemeten vanaf de start
   *[response] hun responstijden, gemeten vanaf de geplande start
}. Dat is ook het vermelde moment, met de kloktijd eronder.
note-slowest-cut-off = ≥: de aanroep is afgebroken; hij zou minstens zo lang hebben geduurd.

## Wat er tegelijk gebeurde

moments-title = Wat er tegelijk gebeurde
moments-none = Geen enkele seconde week af van de rest van haar plateau.
moments-some = { $number_n ->
    [one] Eén moment week af
   *[other] { $number } momenten weken af
} van de rest van de belasting{ $told ->
    [yes] ; wat er toen gebeurde, staat in het hoofdstuk “{ moments-title }”.
    [conclusions] ; { $number_n ->
        [one] wat er toen gebeurde, staat
       *[other] de voornaamste staan
    } in de conclusies per scenario.
   *[other] .
}
moments-slow = { $what } duurde tot { $greatest } (gewoonlijk tot { $usual })
moments-failed = { $number_n ->
    [one] één aanroep van { $what } mislukte
   *[other] { $number } aanroepen van { $what } mislukten
}
moments-silent = { $number } s lang werd niets voltooid (gewoonlijk { $usual })
moments-watched = { $what } { $greatest } (gewoonlijk { $usual })
moments-generator = de belastinggenerator wachtte binnen één seconde { $greatest } op een processor (gewoonlijk { $usual })
moments-told = { $alone ->
    [yes] Op { $at } in de run: { $what }.
   *[other] Op { $at } in de run: { $what }; tegelijkertijd ongewoon: { $beside }.
}
moments-more = en nog { $left }
moments-nothing = niets ongewoons
table-moments = Wat er binnen een seconde van elkaar gebeurde
col-happened = Wat aanroepers merkten, en gebeurtenissen
col-beside = Tegelijkertijd ongewoon
col-slowest-around = Traagste aanroep, { $seconds } s aan weerszijden
moments-note = Een regel begint met wat aanroepers merkten (trage aanroepen, fouten, stilte) of met een vastgelegde gebeurtenis. Ernaast staat welke meetreeksen binnen een seconde daarvan ongewoon hoog waren en dat verder zelden zijn. Dat dingen samenvallen bewijst niet dat het ene het andere veroorzaakte.
moments-note-chance = Louter door toeval zouden naar verwachting { $number } van de ernaast genoemde zaken samenvallen.
moments-note-more = { $left_n ->
    [one] Eén ander moment, waarmee minder samenvalt, is weggelaten.
   *[other] Nog { $left } momenten, waarmee minder samenvalt, zijn weggelaten.
}

## Lijst van runs

runs-title = Runs
runs-folder = Map
runs-count = Runs in de lijst
runs-left-out = Niet gelezen mappen
runs-none = Geen runs gevonden.
runs-started = Gestart (UTC)
runs-verdicts = Oordelen
runs-rate = Gerealiseerd tempo
runs-slowest = p95 van de traagste uitwisseling
runs-not-judged = niet beoordeeld
runs-running = nog bezig
runs-damaged = beschadigd: { $reason }
runs-note-hold = Tempo, p95 en mislukte iteraties zijn die van het eerste plateau van het eerste scenario met belasting; de delen van een mix zijn samengeteld.
runs-note-times = De p95 geldt voor geslaagde aanroepen: de responstijd bij open belasting, de servicetijd bij gesloten belasting. “≥” geeft aan dat de time-out de p95 begrenst.
runs-footer = Gemaakt door loadproof uit de “result.json” van elke run. De links zijn relatief en werken zolang deze pagina en de runmappen ten opzichte van elkaar op dezelfde plaats blijven.

## Figuren waarvan de twee getallen gelijk zijn

fig-ecdf-means-same = Aan een grens die tien procent lager of hoger ligt dan { $limit } zou dezelfde { $share } voldoen: van de precieze waarde hangt hier niets af.
fig-mirror-means-same = “{ $first }” en “{ $second }” zijn op drie cijfers gelijk. Van het apparaat is geen grens bekend: dit beschrijft het gebruik, en wijst geen beperking aan.

## Knoppen van figuren

page-whole = Alles tonen

## Haperingen in figuren

label-stalls = haperingen: { $stalls }
col-stall = Hapering
fig-stalls-finds = { $caption }; { $stalls_n ->
    [one] { $stalls } hapering
   *[other] { $stalls } haperingen
}
fig-stalls-finds-lost = { $caption }; { $stalls_n ->
    [one] { $stalls } hapering kostte
   *[other] { $stalls } haperingen kostten
} { $lost }
fig-stalls-seen = Met een balk erboven gemarkeerd: { $stalls_n ->
    [one] { $stalls } hapering
   *[other] { $stalls } haperingen
}, samen { $time }.
fig-stalls-seen-lost = Met een balk erboven gemarkeerd: { $stalls_n ->
    [one] { $stalls } hapering
   *[other] { $stalls } haperingen
}, samen { $time }. Daardoor bleef { $lost } liggen van wat anders was gedaan.

## Rasters

bulk-title = Werk in bulk
bulk-lead = { $scenario }: { $units } { $unit } in { $time }, gemiddeld { $rate }.
bulk-lead-stalls = Buiten de { $stalls ->
    [one] ene hapering
   *[other] { $stalls } haperingen
}, in { $part } van de tijd, was het { $rate }.
axis-carried = { $unit } per seconde (/s)
fig-carried-what = Snelheid in de tijd, { $what }, { $scenario }
fig-carried-finds = Gemiddeld { $accepted } aangenomen en { $through } verwerkt, in { $unit }
fig-carried-seen = Van telling tot telling lag wat verwerkt werd tussen { $least } en { $most }.
fig-carried-seen-none = In het beoordeelde deel is niet twee keer geteld.
fig-carried-means-even = De snelheid bleef op één niveau, dus het gemiddelde beschrijft elk moment.
fig-carried-means-stalls = In het gemiddelde van { $mean } zitten de haperingen; daarbuiten was het { $working }. Geen van beide staat voor het andere.
fig-carried-means-none = De tijd was te kort voor een snelheid buiten haperingen, of de snelheid heeft geen vast niveau: het gemiddelde beschrijft het geheel en geen moment ervan.
fig-carried-reading = Elk punt is wat er van de ene telling tot de volgende bij kwam, per seconde. Waar de teller stilstaat terwijl aanroepen worden aangenomen, wacht werk.
bulk-what = Waarvan
bulk-units = Verwerkt
bulk-time = Tijd
bulk-mean = Gemiddelde
bulk-bytes = Bytes
bulk-working = Buiten haperingen
bulk-duty = Gemeten in
bulk-stalls = { $stalls ->
    [one] 1 hapering
   *[other] { $stalls } haperingen
}
bulk-accepted = { $unit } aangenomen door { $exchange }
bulk-through = { $leg }, volgens { $count }
bulk-left = Over aan het eind
bulk-drained = Klaar na
bulk-not-drained = niet gezien
table-bulk = Hoeveel, in welke tijd, hoe snel
table-bulk-left = Wat was aangenomen en niet klaar was toen de belasting eindigde
note-bulk = Het gemiddelde is alles wat is verwerkt, gedeeld door de hele tijd, haperingen meegerekend. Daarnaast staat de snelheid in de tijd waarin gewerkt werd, die “gemeten in” als deel van het geheel geeft; het 90%-interval staat eronder. Die zegt wat het systeem doet terwijl het werkt, en is geen maat voor de langere duur: daarvoor telt het gemiddelde.
note-bulk-bytes = Bytes zijn die welke het protocol per aanroep telt: van een gepubliceerde bundel, of van het antwoord op een verzoek.
note-bulk-no-working = Zonder snelheid buiten haperingen: de tijd is te kort om die te bepalen, of de snelheid heeft niet één niveau.

grid-title = Raster: { $grid }
grid-lead = { $cells } combinaties van { $variables }, elk { $often ->
    [same] { $most_n ->
        [one] één keer gemeten.
       *[other] { $most } keer gemeten.
    }
   *[differs] { $least } tot { $most } keer gemeten.
}
grid-lead-missing = Van { $missing } van de { $planned } combinaties is er geen meting: ze zijn niet uitgevoerd of kwamen niet tot volle belasting.
grid-typed = { $short } staat kort voor het scenario { $typed }; dat is wat u typt.
table-grid-definitions = Wat de woorden van dit hoofdstuk betekenen
table-grid-cells = Alle combinaties van { $grid }
table-grid-clean-held = Het grootste aantal zonder fout en zonder mislukte verbinding, { $grid }
table-grid-clean = De grootste belasting zonder fout, { $grid }
grid-planned = Gepland
grid-planned-means = { $load ->
    [held] Berichten die tijdens de volle belasting aan de beurt waren op alle verbindingen die open hadden moeten zijn. Die van een mislukte verbinding tellen mee.
    [closed] Iteraties die gebruikers tijdens de volle belasting begonnen.
   *[other] Iteraties die tijdens de volle belasting aan de beurt waren, of ze nu konden beginnen of niet.
}
grid-offered = Aangeboden
grid-offered-means = Wat was gepland, per seconde van de volle belasting.
grid-ok = Goed
grid-ok-means = { $load ->
    [held] Afgerond binnen de time-out, met elke controle in orde: verzonden en beantwoord of, waar verbindingen alleen luisteren, ontvangen.
   *[other] Verzonden en binnen de time-out beantwoord, met elke controle in orde.
}
grid-delivered = Geleverd
grid-delivered-means = Wat goed was, per seconde van de volle belasting, naar het moment waarop het eindigde.
grid-failed-connection = Mislukte verbinding
grid-failed-connection-means = Een verbinding die niet kon worden geopend: geweigerd, verlopen of verkeerd beantwoord. Alles wat daarop was gepland, telt als fout. Een verbinding die later wegvalt, telt hier niet mee; wat zij niet meer kon versturen, is wel een fout.
grid-error-share = Fouten van gepland
grid-error-share-means = Wat was gepland en mislukte, nooit werd verzonden of nooit kwam, als aandeel van alles wat was gepland.
grid-stood-share = Fouten van verzonden
grid-stood-share-means = Berichten zonder goed antwoord, als aandeel van wat werd verzonden op een verbinding die stond. Alles wat mislukte verbindingen nooit verzonden, blijft daarbij buiten beschouwing; het aandeel kan dus 0% zijn naast veel mislukte verbindingen. Het staat hier omdat veel rapporten dit het foutpercentage noemen.
grid-col-attempted = Verbindingen
grid-col-failed = Mislukt
grid-col-errors = Fouten
grid-col-cell = Combinatie
grid-col-largest = Grootste { $variable }
grid-col-times = Keer gemeten
grid-col-at-most = Fouten hoogstens
grid-col-connections-at-most = Mislukte verbindingen hoogstens
grid-col-next = Volgende { $variable }
grid-of-planned = van { $planned } gepland
grid-repetitions = { $times } herhalingen
note-grid-cells = Onder een waarde staat haar 95%-interval. De tijden zijn { $measure ->
    [service] servicetijden
   *[response] responstijden
} van wat goed was. Vet: combinaties zonder enige fout.
note-grid-connections = “Verbindingen” zijn die waartoe een poging is gedaan, “Mislukt” die daarvan die mislukten; “Gepland” telt berichten.
note-grid-stood = “Fouten van verzonden” zegt niets over wat nooit werd verzonden; eisen en oordelen gaan uit van “Fouten van gepland”.
note-grid-no-interval = Een waarde zonder interval: de volle belasting is te kort, of er staan te weinig onafhankelijke aanroepen achter, om er een te geven.
note-grid-repeated = Aantallen zijn sommen over de herhalingen. De intervallen van aandelen en snelheden zijn die tussen herhalingen.
note-grid-lines = Getoond: { $shown } van { $all } combinaties van de andere variabelen; alle combinaties staan in de tabel hierboven.
grid-clean-title = Grootste belasting zonder fouten
grid-clean-none = geen
grid-clean-once = { $cells } van de { $all } combinaties zijn één keer gemeten. Hoeveel twee gelijke metingen hier verschillen, is niet bekend; herhaal dus wat u aanhaalt.
grid-clean-uneven = { $clean } was zonder fouten, hoewel kleinere dat niet waren: { $below }.
grid-clean-repeat = Fouten nemen niet eenvoudig toe met { $variable }. Herhaal deze combinaties voordat u een grens noemt.
grid-clean-reading = “Hoogstens” is de bovengrens van een aandeel waarvan geen enkel geval is gezien, met een betrouwbaarheid van { $confidence } (Clopper–Pearson), alsof elk geval los van de andere staat. Hoe meer er was gepland, hoe lager die grens.
grid-next-none = niet geprobeerd
grid-next-held = { $failed } mislukte verbindingen, { $share } fouten
grid-next = { $share } fouten
grid-next-untrusted = geen fouten, maar de meting is niet geldig
grid-map-title = Kaart van oordelen
grid-delivered-title = Gepland en geleverd
grid-ramp-title = Fouten en aanloop
grid-system-title = Het systeem in elke combinatie
fig-grid-map-what = Oordelen over alle combinaties van { $grid }
fig-grid-map-finds = { $wrong } van { $all } combinaties hebben fouten
fig-grid-map-seen = Voldaan: { $met }; niet voldaan: { $not_met }; niet te bepalen: { $cannot_tell }. De meeste fouten had { $worst }: { $share } van wat was gepland.
fig-grid-map-seen-none = Voldaan: { $met }; niet voldaan: { $not_met }; niet te bepalen: { $cannot_tell }. Geen combinatie heeft fouten.
fig-grid-map-means-met = In elke combinatie is aan alle eisen voldaan, dus de grens ligt daar voorbij.
fig-grid-map-means-not-met = De gearceerde combinaties voldoen niet aan de eisen: de grens loopt door deze kaart.
fig-grid-map-means-open = Aan geen eis is niet voldaan, maar niet over elke combinatie valt te oordelen.
fig-grid-map-means-undemanded = Voor deze combinaties geldt geen eis, dus de kaart toont fouten en oordeelt niet.
fig-grid-map-reading = ✓ voldaan, ✗ niet voldaan (gearceerd), ? niet te bepalen, · niets geëist, ! meting verstoord. Onder het teken staat het aandeel fouten van wat was gepland. Een kader geeft combinaties zonder enige fout aan.
grid-axis-planned = gepland per seconde
grid-axis-delivered = geleverd per seconde
grid-axis-ramp = aanloop in seconden
grid-axis-errors = fouten in % van gepland
grid-label-all = alles
fig-grid-delivered-what = Gepland en geleverd per seconde in alle combinaties van { $grid }
fig-grid-delivered-finds-kept = Tot { $rate } werd vrijwel alles geleverd
fig-grid-delivered-finds-connections = Wat ontbreekt, hoort bij mislukte verbindingen
fig-grid-delivered-finds = Hoogstens { $rate } werd geleverd
fig-grid-delivered-finds-collapse = Hoogstens { $best } werd geleverd; van { $planned } gepland slechts { $delivered }
fig-grid-delivered-seen = { $best } leverde het meest: { $delivered }. { $lossy } verloor het meest: { $lost }.
fig-grid-delivered-seen-kept = { $best } leverde het meest: { $delivered }.
fig-grid-delivered-means-kept = Elke combinatie leverde minstens { $share } van wat was gepland, dus geen ervan ligt voorbij de grens.
fig-grid-delivered-means-connections = Op de verbindingen die opengingen werd vrijwel alles geleverd: de grens die hier te zien is, is er een van verbindingen, niet van berichten per seconde.
fig-grid-delivered-means-short = De grens ligt bij { $rate }: wat daarboven is gepland, wordt niet op tijd geleverd, maar meer belasting brengt niet minder.
fig-grid-delivered-means-collapse = Voorbij ongeveer { $best } levert het systeem minder naarmate er meer wordt gevraagd: het zakt in, en een tabel naar verbindingen alleen zou dat niet tonen.
fig-grid-delivered-reading = Op de stippellijn wordt alles geleverd wat was gepland. Een stip is een combinatie zonder fouten, een kruis een met fouten; een verticale lijn is het 95%-interval tussen herhalingen.
fig-grid-ramp-what = Fouten tegen de lengte van de aanloop, { $grid }
fig-grid-ramp-finds = Met een aanloop van { $short } { $low } fouten, met een van { $long } { $high }
fig-grid-ramp-seen = Dat zijn de cijfers van { $line }, met de meeste fouten. Getekend zijn { $drawn } van { $lines } combinaties van de andere variabelen.
fig-grid-ramp-means-fewer = Een langere aanloop geeft minder fouten: een deel hoort bij hoe snel verbindingen of belasting komen, niet bij hoeveel het er zijn.
fig-grid-ramp-means-more = Een langere aanloop geeft meer fouten, dus de aanloop verklaart ze niet. Herhaal beide voordat u iets concludeert.
fig-grid-ramp-means-open = De intervallen tonen niet aan dat de lengte van de aanloop ertoe doet.
fig-grid-ramp-reading = Het zijn fouten van de beoordeelde volle belasting, van alles wat was gepland. Een verticale lijn is het 95%-interval.
grid-system-word = { $kind ->
    [processor] Processor
   *[memory] Geheugen
}
fig-grid-system-what = { $what } in de combinaties van { $grid }
fig-grid-system-finds = { $what }: gemiddeld hoogstens { $most }, in { $cell }
fig-grid-system-seen = De gemiddelden van de beoordeelde delen lopen van { $least } ({ $low }) tot { $most } ({ $high }). Getekend zijn { $drawn } van { $all } combinaties.
fig-grid-system-means-grows = { $what }: het gebruik hangt af van de combinatie en hoort dus bij de belasting die hier wordt gevarieerd.
fig-grid-system-means-even = { $what }: het gebruik is in alle combinaties vrijwel gelijk en verklaart dus niet waarin ze verschillen.
fig-grid-system-reading = Elk paneel is een combinatie in haar eerste herhaling, met de tijd sinds het begin van haar scenario; alle hebben één schaal. Grijs is wat niet wordt beoordeeld. De kleuren zijn de instanties, zoals in de andere figuren.
grid-scaling-title = Wat meer replica’s opleveren
grid-scaling-calls = Gemeten
grid-scaling-time = Gemiddelde tijd
grid-scaling-carried = { $unit } per aanroep
grid-scaling-rate = { $unit }
grid-scaling-speed-up = Versnelling
grid-scaling-efficiency = Efficiëntie
grid-scaling-base = basis
table-grid-scaling = Tijden, versnelling en efficiëntie per aantal replica’s van { $instance }
table-grid-scaling-with = Tijden, versnelling en efficiëntie per aantal replica’s van { $instance }, { $with }
note-grid-scaling = De versnelling is de gemiddelde tijd met de minste replica’s van { $instance }, gedeeld door die met de replica’s van de rij. De efficiëntie is de versnelling, gedeeld door de factor waarmee het aantal replica’s groter is: 100% als elke replica evenveel oplevert als die van de basis. Onder beide staat het 95%-interval, dat van een vergelijking van gemiddelde tijden.
note-grid-scaling-bare = Waar een versnelling of haar interval ontbreekt: { $why }
grid-axis-replicas = replica’s van { $instance }
grid-axis-speed-up = versnelling
grid-label-ideal = ideaal
fig-grid-scaling-what = Versnelling per aantal replica’s van { $instance }
fig-grid-scaling-finds = { $replicas } replica’s in plaats van { $first } doen hetzelfde werk { $lines ->
    [one] { $high } keer zo snel
   *[other] { $low } tot { $high } keer zo snel
}
fig-grid-scaling-seen = { $lines ->
    [one] { $best } is { $high } keer zo snel, een efficiëntie van { $high_share }.
   *[other] { $best } wint het meest: { $high } keer zo snel, een efficiëntie van { $high_share }; { $worst } het minst: { $low } keer, { $low_share }. Getekend: { $drawn } van { $lines } uitwisselingen.
}
fig-grid-scaling-means-full = Elke replica levert minstens { $full } op van wat een van de eerste opleverde: meer replica’s verkorten het werk naar verhouding.
fig-grid-scaling-means-less = Elke volgende replica levert minder dan { $full } op van wat een van de eerste opleverde: een deel van het werk wordt niet verdeeld, of ze delen iets dat al in gebruik is.
fig-grid-scaling-means-mixed = Een deel van het werk wordt bijna geheel verdeeld, een deel niet: voor het eerste zijn meer replica’s hun kosten waard.
fig-grid-scaling-means-open = De intervallen laten niet zien of elke replica minstens { $full } oplevert van wat een van de eerste opleverde. Herhaal de meting voordat u een conclusie trekt.
fig-grid-scaling-reading = Op de streepjeslijn levert elke replica evenveel op als die van de basis. Een verticale lijn is het 95%-interval.

search-title = Zoeken naar de grens: { $search }
search-lead-bracket = { $attempts } { $attempts ->
    [one] poging varieerde
   *[other] pogingen varieerden
} { $variable } tussen { $from } en { $to }, door steeds te halveren tot op { $width }; een belasting geldt als volgehouden als { $passes } van { $of } pogingen slagen.
search-lead-nsp = In { $attempts } { $attempts ->
    [one] iteratie werd
   *[other] iteraties werden
} eerst { $one } en daarna { $other } verhoogd, zolang de doorvoer groeide met ten minste { $target } van de groei van het aantal gebruikers.
search-between = De grens ligt tussen { $held }, volgehouden met een doorvoer van { $throughput }, en { $failed }, niet volgehouden.
search-at-least = { $held } is volgehouden met een doorvoer van { $throughput }. Geen hogere belasting bleek te hoog; dit is dus een ondergrens.
search-below = De grens ligt onder { $failed }: geen belasting is volgehouden.
search-best = De hoogste doorvoer was { $throughput }, met { $load } in iteratie { $attempt }.
search-nothing = Geen poging zegt waar de grens ligt.
search-end = { $why ->
    [found] De zoekactie eindigde omdat wat wel en wat niet is volgehouden zo dicht bij elkaar liggen als was gevraagd, of omdat er geen belasting tussen ligt.
    [top_held] De zoekactie eindigde bij de hoogste belasting van het bereik, die is volgehouden.
    [lowest_failed] De zoekactie eindigde bij de laagste belasting van het bereik, die niet is volgehouden.
    [generator] De zoekactie werd gestopt door de belastinggenerator of zijn omgeving: pogingen bij één belasting werden drie keer verstoord. De grens van het systeem kan hoger liggen.
    [unjudged] De zoekactie eindigde omdat drie pogingen bij één belasting niet te beoordelen waren, hoewel niets ze verstoorde: zie de reden in de tabel.
    [attempts_used_up] De zoekactie eindigde toen het toegestane aantal pogingen was bereikt. Meer pogingen kunnen het interval verkleinen.
    [degraded] De zoekactie eindigde omdat een replica uitviel en niet terugkwam: latere pogingen zouden een ander systeem hebben gemeten.
    [target_missed] De zoekactie eindigde omdat meer gebruikers niet meer de gevraagde groei brachten.
    [disturbed] De zoekactie eindigde omdat meer gebruikers niet meer de gevraagde groei brachten, in een iteratie die de belastinggenerator of zijn omgeving verstoorde. De grens kan daar liggen: de hoogste doorvoer is een ondergrens van wat het systeem kan.
    [most_reached] De zoekactie eindigde bij de grenzen die de studie stelt, voordat de doorvoer ophield te groeien: het maximum is niet bereikt, en de hoogste doorvoer is een ondergrens.
    [aborted] De zoekactie eindigde omdat een stopregel een poging beëindigde en er geen andere belasting was om mee verder te gaan.
   *[unfinished] De zoekactie is niet afgemaakt; wat tot nu toe gevonden is, geldt.
}
search-by-values = { $side ->
    [held] Dat { $load } is volgehouden, volgt uit de gemeten waarden; geen poging was lang genoeg om het te bewijzen. Voeg “confirm” toe of verleng het, of verleng de meetperiode, om dit te bewijzen.
   *[failed] Dat { $load } niet is volgehouden, volgt uit de gemeten waarden; geen poging was lang genoeg om het te bewijzen.
}
search-decided-otherwise = Als geheel beoordeeld geeft de run voor de pogingen { $attempts } een ander resultaat dan waar de zoekactie destijds van uitging. Herhaal ze als ze bij de grens liggen.
search-taken-over = { $count ->
        [one] Poging { $attempts } is
       *[other] De pogingen { $attempts } zijn
    } gedaan in de eerdere run “{ $run }” en overgenomen zoals daar beoordeeld; de cijfers staan in het rapport van die run.
search-outcome = { $outcome ->
    [passed] { $sure ->
        [sure] volgehouden
       *[values] volgehouden, op basis van de meetwaarden
    }
    [failed] { $sure ->
        [sure] niet volgehouden
       *[values] niet volgehouden, op basis van de meetwaarden
    }
   *[void] zegt niets
}
attempt-told = { $outcome ->
    [passed] gehaald
    [failed] niet gehaald
   *[void] telt niet mee
} bij { $tried } met { $rate } ({ $why }); { $next }
attempt-next = { $how ->
    [again] daarna nogmaals, langer, met { $values }
   *[next] daarna { $values }
}
attempt-over = { $why ->
    [found] de grens is gevonden
    [generator] gestopt door de belastinggenerator of zijn omgeving
    [unjudged] gestopt omdat pogingen niet te beoordelen waren
    [attempts_used_up] gestopt omdat de pogingen op waren
    [degraded] gestopt omdat een replica wegviel
    [target_missed] gestopt omdat het doel niet werd gehaald
    [disturbed] gestopt bij een grens die die van de belastinggenerator kan zijn
    [most_reached] gestopt bij het maximum van de studie
    [aborted] gestopt door een stopregel
   *[other] gestopt ({ $why })
}
attempt-grew = de doorvoer groeide met { $grew }, gevraagd was { $wanted }
attempt-why = { $why ->
    [aborted] de stopregel { $name } trad in werking
    [aborted_spoiled] { $name } trad in werking bij een verstoorde meting
    [behind] de antwoorden houden de belasting niet bij
    [degraded] de replica { $name } viel uit
    [invalid] de meting is verstoord
    [left] iteraties zijn afgebroken
    [measured] gemeten
    [met] aan alle eisen is voldaan
    [no_rate] het tempo is niet vast te stellen
    [no_value] { $name } is niet te bepalen
    [not_met] aan { $name } is niet voldaan
    [nothing_asked] er gold geen eis
    [nothing_ok] niets slaagde
    [unrested] { $name } was nog bezig met werk van daarvoor
    [value_beyond] { $name } ligt buiten de limiet, maar dat is niet bewezen
   *[value_within] { $name } ligt binnen de limiet, maar dat is niet bewezen
}
search-reason = { $reason ->
    [aborted] de stopregel { $rule } trad in werking
    [aborted_spoiled] de stopregel { $rule } trad in werking, maar de belastinggenerator of zijn omgeving verstoorde de meting
    [behind] slechts { $ended } van { $offered } aangeboden slaagden
    [degraded] de replica { $instance } viel uit
    [invalid] de belastinggenerator of zijn omgeving verstoorde de poging
    [left] { $left } iteraties werden afgebroken of eindigden niet
    [measured] gemeten
    [met] aan alle eisen werd voldaan
    [no_rate] het tempo waarop de zoekactie afgaat, is niet vast te stellen
    [no_value] { $requirement } is niet vast te stellen, en niet aan één waarde af te lezen
    [not_met] aan { $requirement } werd niet voldaan
    [nothing_asked] er golden geen eisen
    [nothing_ok] niets slaagde
    [unrested] { $left } van { $leg } van daarvoor waren nog onderweg toen de belasting begon
    [value_beyond] { $requirement } ligt voorbij de grens, maar niet ver genoeg om het te bewijzen
   *[value_within] { $requirement } blijft binnen de grens, maar niet ruim genoeg om het te bewijzen
}
search-attempt = { $confirms ->
    [yes] { $number }, ter bevestiging
   *[no] { $number }
}
search-rated = { $said ->
    [first] eerste
    [met] doel gehaald
    [missed] doel gemist
    [not_counted] telt niet: een replica viel uit, of de meting is ongeldig
   *[none] niet beoordeeld
}
search-col-start = Begin (UTC)
search-col-end = Einde (UTC)
search-threads = threads
search-nodes = nodes
search-col-attempt = Poging
search-col-iteration = Iteratie
search-col-users = Gebruikers
search-col-outcome = Resultaat
search-col-why = Waarom
search-col-actual = Werkelijke groei
search-col-target = Beoogde groei
table-search-attempts = Alle pogingen van { $search }, in tijdsvolgorde
note-search-by = Bij deze zoekactie is de doorvoer { $by } in plaats van de geslaagde iteraties.
note-search-attempts = “Op basis van de meetwaarden” betekent dat het interval van een eis over de grens heen reikt; de zoekactie ging dan uit van de gemeten waarde. De doorvoer telt geslaagde iteraties; wat mislukte is een aandeel van alles wat was gepland.
note-search-steps = De groei is die ten opzichte van de iteratie met de hoogste doorvoer tot dan toe, afgekapt op hele procenten zoals de regel voorschrijft; de niet-afgeronde waarde staat eronder.

## Alle iteraties van een run in één beeld

iterations-title = Alle iteraties
iterations-intro = { $iterations_n ->
    [one] De run heeft één iteratie.
   *[other] De run heeft { $iterations } iteraties.
} Een iteratie is hier één beoordeelde periode. Wat de clients zagen en wat werd bewaakt, is over de hele run getekend. Het getal onder een as is dat van de iteratie; wat tussen twee iteraties ligt, is gearceerd en wordt nergens beoordeeld.
iterations-client-title = Aanroepen en tijden over de run
table-iterations-times = Aanroepen en tijden per iteratie
note-iterations-times = Geteld zijn de aanroepen die in de iteratie begonnen en slaagden; aanroepen per seconde zijn berekend over de lengte van de iteratie. Percentielen zijn van alle aanroepen van een iteratie samen, met daaronder het 95%-interval waar dat er is: dit zijn de cijfers om te vergelijken.
fig-iteration-times-what = p95 en p98 van { $what } over de run ({ $measure ->
    [service] servicetijden
   *[response] responstijden
})
fig-iteration-times-finds = De hoogste p95 van een deel is { $highest }, in iteratie { $iteration }
fig-iteration-times-seen = De hoogste p95 van enig deel van een iteratie is { $p95 }, de hoogste p98 { $p98 }. Dat is niet de traagste aanroep; die duurde { $slowest }.
fig-iteration-times-limit = { $beyond_n ->
    [0] De limiet van { $limit } voor { $share } van de aanroepen wordt in alle { $parts } delen gehaald.
   *[other] De limiet van { $limit } voor { $share } van de aanroepen wordt in { $beyond } van { $parts } delen overschreden.
}
fig-iteration-times-no-limit = De studie stelt geen limiet aan p95 of p98; er is dus niets om ze aan te toetsen.
fig-iteration-times-reading = Elke iteratie is verdeeld in gelijke delen van hoogstens { $width }, en geen deel loopt van de ene iteratie door in de volgende. Een aanroep telt waar die eindigde. De waarden zijn gelezen uit grootteklassen en kunnen er tot 12% naast zitten; de exacte percentielen van hele iteraties staan in de tabel.
fig-iteration-rates-title = Aanroepen per seconde
fig-iteration-rates-what = Aanroepen per seconde over de run
fig-iteration-rates-finds = Iteratie { $iteration } heeft gemiddeld de meeste aanroepen: { $rate }
fig-iteration-rates-seen = { $iterations_n ->
    [one] Het gemiddelde is { $first }.
   *[other] Over { $iterations } iteraties gaat het gemiddelde van { $first } in de eerste naar { $last } in de laatste.
}
fig-iteration-rates-means-last = De laatste iteratie heeft de meeste aanroepen per seconde; de run laat dus niet zien waar de groei ophoudt.
fig-iteration-rates-means-earlier = De meeste aanroepen per seconde vallen niet in de laatste iteratie: wat daarna kwam, leverde niet meer aanroepen op.
fig-iteration-rates-reading = Hele seconden binnen de iteraties, naar het einde van elke aanroep; gemiddelden tellen geslaagde aanroepen.
axis-run-iterations = Tijd sinds het begin van de run (min:s); daaronder de iteratie

iterations-servers-title = Toegangslogs van de servers
iteration-servers-all = alle servers
iteration-servers-col-server = Server
iteration-servers-col-window = Venster
table-iteration-servers = { $metric } ({ $monitor }): aanroepen van elke server per iteratie
note-iteration-servers = Voor elk cijfer van een rij geldt hetzelfde venster: van het begin tot het einde van de iteratie, zoals vastgelegd. Een aanroep hoort erbij op grond van het tijdstip in het log; aanroepen per seconde zijn aanroepen gedeeld door het venster.
note-iteration-servers-left = { $left_n ->
    [one] Nog één server staat alleen in de som.
   *[other] Nog { $left } servers staan alleen in de som.
}
fig-iteration-servers-axis = { $shown ->
    [calls] Aanroepen per minuut (/min)
   *[durations] Gemiddelde duur (ms)
}
fig-iteration-servers-what = { $shown ->
    [calls] Aanroepen per minuut in het log van elke server
   *[durations] Gemiddelde duur per minuut in het log van elke server
}: { $metric } ({ $monitor })
fig-iteration-servers-finds = { $shown ->
    [calls] De meeste aanroepen, { $highest }, staan in het log van { $server }, in iteratie { $iteration }
   *[durations] Het hoogste gemiddelde, { $highest }, staat in het log van { $server }, in iteratie { $iteration }
}
fig-iteration-servers-seen = { $servers_n ->
    [one] { $iterations_n ->
            [one] Het gemiddelde is { $first }.
           *[other] Het gemiddelde gaat van { $first } in de eerste iteratie naar { $last } in de laatste.
        }
   *[other] { $iterations_n ->
            [one] Het gemiddelde van de { $servers } servers is { $first }.
           *[other] Het gemiddelde van de { $servers } servers gaat van { $first } in de eerste iteratie naar { $last } in de laatste.
        }
}
fig-iteration-servers-means-even = De replica’s verwerken ongeveer evenveel; in iteratie { $iteration }, waar ze het verst uiteenliggen, heeft { $most } { $most_value } en { $least } { $least_value }.
fig-iteration-servers-means-apart = De replica’s verwerken niet evenveel: in iteratie { $iteration } heeft { $most } { $most_value } en { $least } { $least_value }. Dat vraagt om een verklaring, zoals de verdeler of een storing.
fig-iteration-servers-means-one = Geen server heeft een replica naast zich; er is dus niets om mee te vergelijken.
fig-iteration-servers-reading = De waarden zijn van delen van hoogstens { $width }, elk binnen één iteratie. Alle panelen hebben dezelfde schaal.
fig-iteration-system-left = { $left_n ->
    [one] Nog één is niet getekend.
   *[other] Nog { $left } zijn niet getekend.
}

iterations-system-title = De servers naast elkaar
fig-iteration-system-what = { $metric } van { $servers_n ->
    [one] één server
   *[other] { $servers } servers
} ({ $monitor }) over de run
fig-iteration-system-finds = { $metric } is het hoogst op { $server }: { $most }, in iteratie { $iteration }
fig-iteration-system-seen = { $iterations_n ->
    [one] { $metric } van { $server } is gemiddeld { $first }.
   *[other] Gemiddeld gaat { $metric } van { $server } van { $first } in de eerste iteratie naar { $last } in de laatste.
}
fig-iteration-system-reading = Alle panelen hebben dezelfde schaal en dezelfde tijdas. Verticale lijnen zijn het begin en het einde van de iteraties, gestippelde zijn gebeurtenissen. Een limiet is getekend waar die in de buurt ligt van wat is gemeten.

iterations-trends-title = Trends over de iteraties
trends-intro = Hoe { $iterations } ongestoorde iteraties met hun belasting meegaan. Een trend is de factor waarmee een waarde verandert wanneer de belasting verdubbelt, uit een rechte lijn door de logaritmen, met het 99%-interval. ‘Stijgt’ en ‘daalt’ betekenen dat het interval geen verandering uitsluit; ‘verandert nauwelijks’ dat een verdubbeling minder dan { $band } scheelt; in alle andere gevallen is het niet te bepalen. De belastingen volgen elkaar op in de tijd; een verloop van het systeem of de machine ziet er daarom uit als een effect van de belasting.
trend-throughput = De doorvoer
trend-time = De gemiddelde tijd
trend-high = p95 van { $exchange }
trend-told = { $said ->
    [rises] { $what } stijgt met de belasting, van { $least } bij { $from } naar { $most } bij { $to }: een verdubbeling van de belasting geeft een factor { $factor } ({ $interval }).
    [falls] { $what } daalt met de belasting, van { $least } bij { $from } naar { $most } bij { $to }: een verdubbeling van de belasting geeft een factor { $factor } ({ $interval }).
    [hardly] { $what } verandert nauwelijks met de belasting ({ $least } bij { $from }, { $most } bij { $to }): een verdubbeling geeft een factor { $factor } ({ $interval }).
   *[open] { $what }: een trend is niet te bepalen ({ $least } bij { $from }, { $most } bij { $to }); een verdubbeling geeft een factor { $factor }, maar alles binnen { $interval } kan ook.
}
trend-none = { $what }: een trend is niet te bepalen. { $why }
trend-refused = { $reason ->
    [few] Er zijn { $have } iteraties en er zijn er { $need } nodig.
    [missing] Gemeten is in { $have } van { $all } iteraties en er zijn er { $need } nodig.
    [span] De belastingen verschillen minder dan een factor { $span }.
    [zero] De waarde was nul in een iteratie, en nul heeft geen factor.
   *[interval] Het interval omvat zowel geen verandering als meer dan een kleine.
}
trend-old-heap-title = Oude generatie
trend-old-heap = { $said ->
    [rises] { $what } stijgt met { $growth } per uur ({ $low } tot { $high }); aan het eind blijft er na collecties { $last } in over.
    [falls] { $what } daalt met { $growth } per uur ({ $low } tot { $high }); aan het eind blijft er na collecties { $last } in over.
   *[open] { $what }: of die stijgt, is niet te bepalen; de groei per uur ligt tussen { $low } en { $high }. Aan het eind blijft er na collecties { $last } in over.
}
trend-old-heap-room = De bovengrens is { $limit }; daarvan is { $left } nog vrij.
trend-collecting = { $how ->
    [up] De garbage collection houdt het bij op { $instance }: over { $iterations } iteraties legt die het programma hoogstens { $worst } van de tijd stil, in iteratie { $place } van de hier getelde; { $limit } is toegestaan.
   *[behind] De garbage collection houdt het niet bij op { $instance }: in iteratie { $place } van de hier getelde ligt het programma { $worst } van de tijd stil; { $limit } is toegestaan.
}
trend-collecting-full = { $full_n ->
    [0] De hele heap is nooit opgeruimd.
    [one] De hele heap is één keer opgeruimd.
   *[other] De hele heap is { $full } keer opgeruimd.
}
table-trends = Wat over de iteraties met de belasting meegaat
trend-col-what = Gemeten
trend-col-iterations = Iteraties
trend-col-first = Eerste
trend-col-last = Laatste
trend-col-slope = Per verdubbeling
trend-col-said = Trend
trend-said = { $said ->
    [rises] stijgt
    [falls] daalt
    [hardly] verandert nauwelijks
   *[open] niet te bepalen
}
note-trends = De waarden zijn gemiddelden per iteratie, p95 is dat van alle aanroepen ervan; iteraties die verstoord waren of zonder een replica liepen, zijn weggelaten. Van de oude generatie is het laagste niveau per iteratie genomen, en de groei is per uur.

search-curve-title = Wat de pogingen samen zeggen
search-law-refused = { $reason ->
    [few_loads] De Universal Scalability Law is niet toegepast: { $have } belastingen zijn ongestoord gemeten en er zijn er { $need } nodig.
    [regimes] De Universal Scalability Law is niet toegepast: bij een deel van de pogingen ontbrak een replica, dus ze horen niet bij één systeem.
    [no_bend] De curve buigt niet: een rechte lijn beschrijft { $loads } belastingen even goed als de Universal Scalability Law; de capaciteit is dus minstens { $bound }.
    [no_kappa] De Universal Scalability Law past bij { $loads } belastingen, maar niets toont aan dat de doorvoer weer zou dalen; de parameters worden daarom niet vermeld.
    [ceiling] Een plafond beschrijft de curve van { $loads } belastingen even goed als de Universal Scalability Law: niets toont aan dat de doorvoer weer zou dalen; de parameters worden daarom niet vermeld.
    [far_peak] Volgens de Universal Scalability Law zou de top bij { $peak } gebruikers liggen, te ver voorbij de { $most } die zijn geprobeerd; de parameters worden daarom niet vermeld.
   *[no_fit] De Universal Scalability Law is niet toe te passen op { $loads } belastingen.
}
search-knee-refused = { $reason ->
    [few_loads] Naar een knik is niet gezocht: { $have } belastingen zijn ongestoord gemeten en er zijn er { $need } nodig.
    [straight] Er is geen knik: de doorvoer per gebruiker daalt niet meer dan toeval verklaart.
   *[none] Er is geen knik: de curve buigt, maar nergens scherp genoeg.
}
search-little = { $how ->
    [close] De wet van Little klopt: de gebruikers en wat er onderhanden was, verschillen hoogstens { $off }, in iteratie { $attempt }, en dat is binnen { $limit }.
   *[apart] De wet van Little klopt niet in iteratie { $attempt }: de gebruikers en wat er onderhanden was, verschillen { $off }, en dat is meer dan { $limit }. Een deel van de tijd van de gebruikers zit niet in de vastgelegde tijden.
}
search-little-none = De tijd van een ronde aanroepen is niet gemeten; de wet van Little is dus niet te toetsen.
search-little-reading = Gebruikers gedeeld door doorvoer is de tijd die elke gebruiker voor één ronde aanroepen heeft. Dat moet de gemiddelde tijd van een ronde zijn, met de denktijd; het verschil is dat van doorvoer × tijd met de gebruikers. Wat niet in de logs van de servers staat, is besteed in het netwerk en in de belastinggenerator.
table-search-little = Gebruikers, doorvoer en tijd per poging (wet van Little)
search-little-col-each = Gebruikers ÷ doorvoer
search-little-col-time = Tijd van een ronde
search-little-col-off = Verschil
search-little-col-log = In de logs van de servers
search-little-col-rest = Daarbuiten

## De geschiedenis van eisen

archive-title = { $study }: verloop van de eisen
archive-summary = Wat er veranderde
archive-runs = Runs
archive-from-to = Begonnen (UTC)
archive-since = Veranderingen tellen na
archive-changed = { $changed_n ->
    [0] Bij { $all } { $all_n ->
        [one] eis
       *[other] eisen
    } is geen verandering van niveau gevonden.
   *[other] Het niveau van { $changed } van de { $all } eisen veranderde.
}
archive-few-runs = Geen eis heeft genoeg runs om naar veranderingen te zoeken: hoogstens { $have }, en er zijn er minstens { $needed } nodig.
archive-none-counts = { $kind ->
    [trials] { $trials_n ->
        [one] De enige run is een proefrun (gemaakt met `--for`)
       *[other] Alle { $trials } runs zijn proefruns (gemaakt met `--for`)
    }
    [invalid] { $invalid_n ->
        [one] De enige run is ongeldig
       *[other] Alle { $invalid } runs zijn ongeldig
    }
   *[both] Van { $all } runs { $trials_n ->
        [one] is er { $trials } een proefrun
       *[other] zijn er { $trials } proefruns
    } (gemaakt met `--for`) en { $invalid_n ->
        [one] is er { $invalid } ongeldig
       *[other] zijn er { $invalid } ongeldig
    }
}, en zulke runs tellen niet mee in een geschiedenis: { $kind ->
    [trials] een ingekorte run bewijst niets over een volledige. Maak volledige runs: `loadproof run STUDIE`, zonder `--for`.
    [invalid] een ongeldige run heeft geen oordelen. In het rapport ervan staat waardoor; verhelp dat en voer de run opnieuw uit: `loadproof run STUDIE`.
   *[both] een ingekorte run bewijst niets over een volledige, en een ongeldige run heeft geen oordelen. Maak volledige runs: `loadproof run STUDIE`, zonder `--for`. In het rapport van een ongeldige run staat waardoor die ongeldig is.
} Om naar veranderingen te zoeken zijn ten minste { $fewest } runs nodig.
archive-worse = { $count_n ->
    [one] Eén eis werd
   *[other] { $count } eisen werden
} slechter sinds { $since }: { $which }.
archive-not-worse = Van geen enkele eis is aangetoond dat zij slechter werd sinds { $since }, over { $runs } { $runs_n ->
    [one] run
   *[other] runs
}.
archive-too-few = Er zijn te weinig runs om te bepalen of { $which } slechter werd sinds { $since }: er { $more_n ->
    [one] is nog minstens één run
   *[other] zijn nog minstens { $more } runs
} nodig.
archive-untold = Te weinig runs om te oordelen: { $which }.
archive-no-direction = Geen eis van de nieuwste run heeft een boven- of ondergrens, dus van niets is te zeggen dat het slechter werd.
archive-method = Een verandering is een niveausprong van 5% of meer die in hoogstens 3% van zulke reeksen door toeval ontstaat; runs mogen daarbij op hun voorgangers lijken. Alle eisen van één opstelling worden samen getoetst. De oorzaak hoort te vinden te zijn in wat er tussen de eerste run van het niveau en de run daarvoor veranderde.
archive-setting = Opstelling
archive-setting-in-text = opstelling
archive-last = Nieuwste waarde
archive-col-since = Veranderd met run
archive-state = Stand
archive-table = Eisen over de runs, met hun nieuwste verandering
archive-note = p is de kans op zo’n grote sprong ergens in een reeks van één niveau.
archive-few = te weinig runs: { $have } van { $needed }
archive-few-after = te weinig runs na de basis: { $have } van { $needed }
archive-by-verdict = alleen oordelen
archive-tendency = { $tendency ->
    [worse] slechter
    [better] beter
   *[none] geen verandering gevonden
}
archive-figures = Run voor run
archive-verdicts = Alleen oordelen
archive-verdicts-table = Eisen zonder boven- of ondergrens
archive-verdict-since = Onveranderd sinds run
archive-apart = Apart gehouden
archive-settings = Opstellingen van de runs; alleen runs van één opstelling staan in één reeks
archive-newest = die van de nieuwste run
archive-differs = Verschilt van de nieuwste run in
archive-why-column = Reden
archive-left-out = Runs en mappen die in geen reeks staan
archive-why = { $why ->
    [trial] een proef: de fasen zijn ingekort
   *[invalid] de run is ongeldig
}
archive-more = nog { $more }
archive-not-read = Nog { $folders } mappen zijn niet gelezen.
archive-before-base = vóór de basis
archive-limit = grens
archive-from-zero = vanaf nul
build-report = Run { $run }. Het hele rapport: { $report }
build-run = Run { $run }.
build-more = { $left_n ->
    [one] nog één in het rapport
   *[other] nog { $left } in het rapport
}
build-validity = De meting is { $word }
build-note = { $place }: { $rule }. Gemeten { $measured }, grens { $limit }. { $why }
build-same = dezelfde reden
