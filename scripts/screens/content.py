"""Words of the shipped screens. Every pool is dealt out by split: the held-out pages see no train word of a pool."""

from __future__ import annotations

from typing import Literal

Split = Literal["train", "heldout"]

_POOLS = {
    "first": "Dana Omar Lucia Petra Kenji Maud Tariq Ines Rolf Amara Jonas Freya Milan Noor Silas Greta Hugo Wanda Elio Tessa "
    "Anton Birgit Casper Delia Emre Farah Gideon Hanna Ivo Jolie Karim Lena Mateo Nadia Oskar Paula Quentin Rosa Stefan Thea",
    "last": "Fox Brandt Okafor Lindqvist Moreau Tanaka Silva Novak Weber Haddad Keller Rossi Duarte Berg Castellan Dunn Eriksen "
    "Farrow Grau Holm Ibarra Jansen Kovac Larsen Mercer Nolan Ortega Pryce Quist Renner Sandoval Thorne Ueda Vance Wolff "
    "Yilmaz Zeller Abbot Baker Conti",
    "city": "Lisbon Oslo Turin Ghent Riga Porto Basel Graz Malmo Cork Leeds Nantes Zagreb Tartu Bergen Utrecht Sofia Bilbao "
    "Aarhus Dresden",
}
_PHRASES = {
    "subject": "Budget draft for autumn|Minutes of Tuesday's call|Your parcel is on its way|Invoice 4471 attached|Parking "
    "during the works|Photos from the hike|New desk plan|Contract, second version|Holiday rota|Question about the lease|"
    "Printer on floor three|Lunch on Friday?|Reviewer comments|Train tickets to Basel|Spare keys|Survey results|Library "
    "books due|Garden meeting|Server maintenance tonight|Proofs for the brochure|Choir rehearsal moved|Lost scarf|"
    "Quarterly figures|Interview on Thursday|Warranty for the kettle|Bike repair ready|Menu for the party|Notes on chapter "
    "four|Travel refund|Password policy|Coffee order|Water meter reading|Workshop places left|Draft poster|Fire drill "
    "on Monday|Room change|Welcome to the team|Rehearsal recording|Seating chart|Missing signature|Old laptops|Museum "
    "visit|Insurance renewal|Data backup report|Board papers|Recipe you asked for|Visitor badges|Phone contract",
    "file": "budget-2031.xlsx|floor-plan.pdf|harbour.jpg|notes.txt|logo-draft.svg|interview.mp3|trailer.mp4|minutes.docx|"
    "backup.zip|poster.png|measurements.csv|thesis.pdf|lake.jpg|letter.docx|mixdown.wav|index.html|readme.md|tides.csv|"
    "invoice-88.pdf|skyline.jpg|storyboard.pdf|menu.docx|fonts.zip|survey.xlsx|orchard.jpg|script.txt|theme.mp3|badge.svg|"
    "contract.pdf|bridge.jpg|rota.xlsx|slides.pptx|demo.mp4|signature.png|recipes.txt|archive.tar|map.png|voice-memo.wav|"
    "ledger.csv|cover.jpg|meadow.jpg|checklist.md|exports.zip|agenda.docx",
    "folder": "Documents|Pictures|Music|Projects|Receipts|Archive|Drawings|Recordings|Exports|Templates|Scans|Letters|"
    "Travel|Courses|Backups|Drafts box|Clients|Research|Photos 2030|Shared|Manuals|Fonts|Plans|Recipes",
    "company": "Nordwind Paper|Alba Optics|Kestrel Freight|Brook & Daughters|Helio Farms|Tessel Labs|Marlow Print|Quarry "
    "Stone|Lumen Foods|Opal Textiles|Fjord Boats|Cedar Works|Pluto Toys|Rivet Motors|Saffron Spice|Tundra Gear|Verso "
    "Books|Willow Clinic|Yarrow Herbs|Zephyr Fans|Anvil Tools|Birch Dairy|Copper Kettle|Dune Glass|Ember Stoves|Flint "
    "Watches|Grove Honey|Harrow Seeds|Iris Frames|Juniper Inn",
    "product": "Canvas rucksack|Desk lamp|Wool blanket|Steel bottle|Garden shears|Oak stool|Rain jacket|Tea kettle|Wall "
    "clock|Running shoes|Chess set|Bread knife|Picnic basket|Reading glasses|Bicycle bell|Coffee grinder|Yoga mat|Field "
    "notebook|Clay vase|Travel pillow|Cast iron pan|Bird feeder|Linen shirt|Camping stove",
    "event": "Dentist|Team lunch|Piano lesson|Budget review|Yoga class|Site visit|Book club|Car service|Parents' evening|"
    "Design critique|Swimming|Board call|Haircut|Film night|Stand-up|Physio|Flat viewing|Choir|Planning day|Vet|Guitar "
    "lesson|Tax deadline|Birthday dinner|Sprint demo|Garden centre|Pottery|Town hall|Blood donation|Chess night|Interview "
    "panel|Eye test|Climbing|Sales call|School play|Roof repair|Wine tasting",
    "clip": "Harbour wide|Opening title|Interview A|Crowd walk|Drone pass|Night street|Close-up hands|Rain window|Train "
    "arrival|Market stall|Sunset hill|Credits|Kitchen scene|Bridge pan|Studio talk|Forest path|Ferry deck|Map overlay|"
    "Classroom|River bend|Rooftop|Snow field|Workshop|Cycle race",
    "channel": "general|release-notes|design-review|lunch|support|random|frontend|incidents|reading-group|travel|hiring|"
    "music|office|data-platform|help-desk|gardening|security|photos",
    "metric": "Revenue|Orders|New customers|Refunds|Page views|Support tickets|Stock level|Average basket|Sign-ups|"
    "Deliveries|Sessions|Returns|Energy use|Open invoices|Visits|Newsletter reads",
    "layer": "Background|Headline|Badge|Shadow|Frame|Portrait|Texture|Grid lines|Caption|Ribbon|Horizon|Logo mark|Sky|"
    "Stamp|Outline|Pattern|Footer|Map pins",
    "sentence": "The ferry leaves from the northern pier at half past six and returns after the market closes.|We moved the "
    "shelves to the back of the room so that the light reaches the long table.|Please read the second page before you sign, "
    "because the dates have changed.|Nobody had opened the greenhouse since the storm, and the vines had taken over the "
    "benches.|The first print came out too dark, so the plates were cleaned and the run was started again.|Each team sends "
    "one person to the meeting and keeps a short record of what was decided.|A narrow path follows the river to the old "
    "mill, where the ground is often wet in spring.|The figures for last quarter are in the shared folder and need one more "
    "check.|If the alarm sounds, leave by the stairs and wait beside the fountain.|He measured the window twice and still "
    "cut the glass a finger too short.|Orders placed before noon are packed on the same day.|The choir sang from the "
    "balcony while the hall slowly filled.|Bring the blue form, two photographs and a copy of the lease.|Most of the "
    "letters were written in pencil and have faded.|The new timetable starts on Monday and the last bus is an hour later.|"
    "She kept the seeds in labelled jars along the kitchen wall.",
}


def pool(name: str, split: Split) -> list[str]:
    """The entries of a pool that this split may use: every second one."""
    entries = _POOLS[name].split() if name in _POOLS else _PHRASES[name].split("|")
    return entries[0 if split == "train" else 1 :: 2]
