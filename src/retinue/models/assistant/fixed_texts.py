"""Replies with a fixed text, in the language of the message: who replies, and what it cannot do.

A small model invents its name, its abilities and whatever it cannot know.
"""

import re
from typing import Literal

from retinue.language.text_normalization import fold
from retinue.models.assistant.passages import rules
from retinue.models.base import Persona

Language = Literal["en", "de", "es", "fr"]
_WORDS: dict[Language, frozenset[str]] = {
    "de": frozenset(
        [
            "aber",
            "bin",
            "bist",
            "bitte",
            "das",
            "dein",
            "deine",
            "der",
            "die",
            "du",
            "ein",
            "eine",
            "euch",
            "euer",
            "gibt",
            "guten",
            "habe",
            "haben",
            "habt",
            "hallo",
            "heute",
            "ich",
            "ihr",
            "ihre",
            "im",
            "ist",
            "kann",
            "kannst",
            "konnen",
            "man",
            "mein",
            "meine",
            "mir",
            "morgen",
            "nicht",
            "oder",
            "sie",
            "sind",
            "und",
            "uns",
            "wann",
            "warum",
            "was",
            "welche",
            "wer",
            "wie",
            "wird",
            "wo",
            "zum",
            "zur",
        ]
    ),
    "es": frozenset(
        [
            "como",
            "cual",
            "cuando",
            "cuanto",
            "cuesta",
            "donde",
            "el",
            "ella",
            "eres",
            "es",
            "esta",
            "estoy",
            "gracias",
            "hay",
            "hola",
            "hoy",
            "la",
            "las",
            "los",
            "manana",
            "me",
            "mi",
            "para",
            "pero",
            "por",
            "puedes",
            "puedo",
            "que",
            "quien",
            "quiero",
            "tengo",
            "tiene",
            "tienen",
            "tu",
            "un",
            "una",
            "usted",
            "y",
        ]
    ),
    "fr": frozenset(
        [
            "au",
            "aujourd",
            "bonjour",
            "ce",
            "combien",
            "comment",
            "dans",
            "de",
            "demain",
            "des",
            "du",
            "elle",
            "es",
            "est",
            "et",
            "etes",
            "il",
            "je",
            "la",
            "le",
            "les",
            "ma",
            "merci",
            "mes",
            "mon",
            "ou",
            "peux",
            "pour",
            "pouvez",
            "puis",
            "quand",
            "que",
            "quel",
            "quelle",
            "qui",
            "sont",
            "sur",
            "toi",
            "tu",
            "un",
            "une",
            "vos",
            "votre",
            "vous",
        ]
    ),
}
_GREETING = (
    r"(?:(?:hi|hello|hey|hallo|hola|bonjour|salut|guten tag|good (?:morning|evening)|ok|so|and|but|sorry)\W+){0,2}"
)
_ATOM = (
    r"(?:who|what) (?:are|r) (?:you|u)|what(?:'s| is) your name|what (?:should|do|can) i call you|who am i (?:talking|speaking|chatting) (?:to|with)"
    r"|are you (?:an? )?(?:real |actual )?(?:human(?: being)?|person|robot|(?:chat ?)?bot|ai|machine|computer)"
    r"|(?:which|what) (?:ai |language )?model (?:are you|is this|do you use)|who (?:made|built|created|trained|developed) you"
    r"|what (?:can|could) (?:you|u) (?:do|help(?: me)? with)|what (?:do you do|are you (?:able to do|good at|for)|are your abilities)"
    r"|how (?:can|could) you help(?: me)?|introduce yourself|tell me (?:something )?about yourself"
    r"|wer (?:bist du|sind sie|seid ihr)|was (?:bist du|sind sie)|wie (?:heisst du|hei\u00dft du|heissen sie|hei\u00dfen sie|ist (?:dein|ihr) name)"
    r"|(?:bist du|sind sie) (?:ein |eine )?(?:echter |echte )?(?:mensch|roboter|bot|ki|maschine|person)"
    r"|was (?:kannst du|konnen sie|k\u00f6nnen sie)(?: alles)?(?: (?:fur|f\u00fcr) mich)?(?: (?:tun|machen))?|(?:wobei|wie) (?:kannst du|k\u00f6nnen sie) (?:mir )?helfen"
    r"|(?:quien|qui\u00e9n) (?:eres|es usted)|(?:como|c\u00f3mo) (?:te llamas|se llama usted)|(?:que|qu\u00e9) (?:puedes|sabes|puede usted) hacer|eres (?:un |una )?(?:humano|persona|robot|bot|ia)"
    r"|qui (?:es[- ]tu|etes[- ]vous|\u00eates[- ]vous)|tu es qui|comment (?:t'appelles[- ]tu|tu t'appelles|vous appelez[- ]vous)"
    r"|que (?:peux[- ]tu|pouvez[- ]vous|sais[- ]tu) faire|qu'est[- ]ce que (?:tu peux|vous pouvez) faire|(?:es[- ]tu|etes[- ]vous|\u00eates[- ]vous) (?:un |une )?(?:humain|personne|robot|ia)"
)
_TAIL = r"(?:\W+(?:for me|actually|exactly|really|then|anyway|please|here|denn|eigentlich|genau|pour moi|por mi|para mi)){0,2}"
_IDENTITY = re.compile(
    rf"\W*{_GREETING}(?:{_ATOM}){_TAIL}(?:(?:\W+(?:and|or|und|oder|y|et|ou))?\W+(?:{_ATOM}){_TAIL}){{0,2}}\W*",
    re.IGNORECASE,
)
_ALFRED = {
    "en": (
        "I am Alfred, the assistant of this Retinue server, and I run on the small language model that comes with it. I can "
        "calculate, convert units, work with dates, texts and data by more than a thousand tools, keep notes for you, and "
        "answer simple questions. I am not a person, I have no connection to the internet, and I can be wrong: for harder "
        "questions, choose a larger model."
    ),
    "de": (
        "Ich bin Alfred, der Assistent dieses Retinue-Servers, und arbeite mit dem kleinen Sprachmodell, das dazugeh\u00f6rt. Ich "
        "kann rechnen, Einheiten umrechnen, mit Daten, Texten und Kalendertagen arbeiten, Notizen f\u00fcr Sie aufbewahren und "
        "einfache Fragen beantworten. Ich bin kein Mensch, habe keine Verbindung zum Internet und kann mich irren: W\u00e4hlen "
        "Sie f\u00fcr schwierigere Fragen ein gr\u00f6\u00dferes Modell."
    ),
    "es": (
        "Soy Alfred, el asistente de este servidor Retinue, y funciono con el peque\u00f1o modelo de lenguaje que incluye. Puedo "
        "calcular, convertir unidades, trabajar con fechas, textos y datos, guardar notas y responder preguntas sencillas. "
        "No soy una persona, no tengo conexi\u00f3n a internet y puedo equivocarme: para preguntas m\u00e1s dif\u00edciles, elija un "
        "modelo mayor."
    ),
    "fr": (
        "Je suis Alfred, l'assistant de ce serveur Retinue, et je fonctionne avec le petit mod\u00e8le de langage qui l'accompagne. "
        "Je peux calculer, convertir des unit\u00e9s, travailler avec des dates, des textes et des donn\u00e9es, garder des notes et "
        "r\u00e9pondre \u00e0 des questions simples. Je ne suis pas une personne, je n'ai pas de connexion \u00e0 internet et je peux me "
        "tromper : pour des questions plus difficiles, choisissez un mod\u00e8le plus grand."
    ),
}
_AGENT = {
    "en": "I am an AI assistant, not a person.",
    "de": "Ich bin ein KI-Assistent, kein Mensch.",
    "es": "Soy un asistente de IA, no una persona.",
    "fr": "Je suis un assistant d'IA, pas une personne.",
}
_NAMED = {"en": "I am {}.", "de": "Ich bin {}.", "es": "Soy {}.", "fr": "Je suis {}."}
_TASK = {"en": "My task: {}", "de": "Meine Aufgabe: {}", "es": "Mi tarea: {}", "fr": "Ma t\u00e2che : {}"}
NO_PAGES = {
    "en": "I cannot open web pages. Please copy the text that matters into a message, and I will work with that.",
    "de": "Ich kann keine Webseiten \u00f6ffnen. Bitte kopieren Sie den wichtigen Text in eine Nachricht, dann arbeite ich damit.",
    "es": "No puedo abrir p\u00e1ginas web. Copie el texto importante en un mensaje y trabajar\u00e9 con \u00e9l.",
    "fr": "Je ne peux pas ouvrir de pages web. Copiez le texte utile dans un message et je travaillerai avec.",
}
NOT_LIVE = {
    "en": "I cannot see that from here: I only know what I was given, not what is the case right now.",
    "de": "Das kann ich von hier aus nicht sehen: Ich wei\u00df nur, was man mir mitgegeben hat, nicht den aktuellen Stand.",
    "es": "No puedo verlo desde aqu\u00ed: solo s\u00e9 lo que se me ha indicado, no la situaci\u00f3n actual.",
    "fr": "Je ne peux pas le voir d'ici : je sais seulement ce qu'on m'a indiqu\u00e9, pas la situation actuelle.",
}
NO_ACTS = {
    "en": "I cannot do that for you: I can only answer questions here.",
    "de": "Das kann ich nicht f\u00fcr Sie erledigen: Ich kann hier nur Fragen beantworten.",
    "es": "No puedo hacerlo por usted: aqu\u00ed solo puedo responder preguntas.",
    "fr": "Je ne peux pas le faire pour vous : ici, je peux seulement r\u00e9pondre \u00e0 des questions.",
}
UNKNOWN = {
    "en": "I have no information about that.",
    "de": "Dazu habe ich keine Angaben.",
    "es": "No tengo informaci\u00f3n sobre eso.",
    "fr": "Je n'ai pas d'information \u00e0 ce sujet.",
}
EMERGENCY = {
    "en": "In an emergency, call the emergency number at once: 112 in Europe, 911 in the United States.",
    "de": "Rufen Sie im Notfall sofort die 112 an.",
    "es": "En una emergencia, llame de inmediato al 112.",
    "fr": "En cas d'urgence, appelez tout de suite le 112.",
}
ON_THIS = {
    "en": "On this, my instructions say:",
    "de": "Dazu steht in meinen Angaben:",
    "es": "Sobre esto tengo esta informaci\u00f3n:",
    "fr": "\u00c0 ce sujet, voici ce que je sais :",
}
_WELCOME = {
    "en": "You are welcome! Is there anything else?",
    "de": "Gern geschehen! Kann ich noch etwas f\u00fcr Sie tun?",
    "es": "\u00a1De nada! \u00bfAlgo m\u00e1s?",
    "fr": "Avec plaisir ! Autre chose ?",
}
_OFFER = {
    "en": "Hello! {} How can I help you?",
    "de": "Guten Tag! {} Wie kann ich Ihnen helfen?",
    "es": "\u00a1Hola! {} \u00bfEn qu\u00e9 puedo ayudarle?",
    "fr": "Bonjour ! {} Comment puis-je vous aider ?",
}
_HELLO = re.compile(
    r"\W*(?:(?:hi|hello|hey|hallo|hola|bonjour|salut|moin|servus|guten (?:tag|morgen|abend)|buenos d\u00edas|buenas tardes"
    r"|bonsoir|good (?:morning|afternoon|evening)|there|everyone)\W*){1,3}",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:(?:ok|okay|great|perfect|super|wonderful|many|muchas|vielen|merci|danke|gracias|thanks?|thank you|thx|cheers"
    r"|so much|very much|a lot|beaucoup|sch\u00f6n|dank|bye|goodbye|that'?s all)\W*){1,5}",
    re.IGNORECASE,
)
_CONTACT = {
    "en": "Please ask here: {}.",
    "de": "Bitte fragen Sie hier nach: {}.",
    "es": "Pregunte aqu\u00ed, por favor: {}.",
    "fr": "Veuillez demander ici : {}.",
}
_ASK_AROUND = {
    "en": "Please ask a person who can look it up.",
    "de": "Bitte fragen Sie jemanden, der nachsehen kann.",
    "es": "Pregunte a una persona que pueda consultarlo.",
    "fr": "Veuillez demander \u00e0 une personne qui peut le v\u00e9rifier.",
}


def language_of(text: str) -> Language:
    """Return the language of a text by its commonest words; English if no other is clear."""
    words = re.findall(r"[a-z\u00df]+", fold(text))
    counts = {language: sum(word in known for word in words) for language, known in _WORDS.items()}
    best = max(counts, key=lambda one: counts[one])
    needed = 1 if len(words) <= 2 else 2
    return best if counts[best] >= max(needed, len(words) // 4) else "en"


def asks_identity(message: str) -> bool:
    """True if a message only asks who or what replies, or what it can do."""
    return len(message) <= 120 and _IDENTITY.fullmatch(message.replace("\u2019", "'")) is not None


def identity(message: str, persona: Persona | None) -> str:
    """Return the reply to a question for identity or abilities."""
    language = language_of(message)
    if persona is None or not (persona.name or persona.instructions):
        return _ALFRED[language]
    return f"{introduction(persona, language)} {_AGENT[language]}"


def introduction(persona: Persona, language: Language) -> str:
    """Return who an agent is: its name, and its role in its instructions or its task."""
    role = _own_words(persona.instructions)
    if role.startswith("I am") or not persona.name:
        return role
    task = _TASK[language].format(persona.task.rstrip(".") + ".") if persona.task else ""
    return " ".join(filter(None, [_NAMED[language].format(persona.name), role or task]))


def courtesy(message: str, persona: Persona) -> str:
    """Return the reply to a message that only greets or thanks; empty for any other."""
    language = language_of(message)
    if _HELLO.fullmatch(message):
        return _OFFER[language].format(introduction(persona, language))
    return _WELCOME[language] if _THANKS.fullmatch(message) else ""


def where_to_ask(message: str, contact: str) -> str:
    """Return the sentence that says where to ask instead."""
    language = language_of(message)
    return _CONTACT[language].format(contact) if contact else _ASK_AROUND[language]


def _own_words(instructions: str) -> str:
    """Return what the first sentences of instructions say of the agent, in the first person: "You are Nora" → "I am Nora"."""
    said = []
    for sentence in rules(instructions)[:3]:
        if opening := re.match(r"(?:you are|you're)\s", sentence, re.IGNORECASE):
            said.append(f"I am {sentence[opening.end() :]}")
        elif re.match(
            r"you (?:answer|help|support|assist|advise|guide|explain|write|teach)\s", sentence, re.IGNORECASE
        ):
            said.append(f"I {sentence[4:]}")
        elif re.match(
            r"(?:answer|help|support|assist|advise|guide)\s(?!in\b|with one|politely|briefly|only|as\b)",
            sentence,
            re.IGNORECASE,
        ):
            said.append(f"I {sentence[:1].lower()}{sentence[1:]}")
    text = re.sub(r"\byour\b", "my", " ".join(said), flags=re.IGNORECASE)
    text = re.sub(r"\byourself\b", "myself", text, flags=re.IGNORECASE)
    return re.sub(r"(?<=[;,.] )you\b|\bthat you\b", lambda one: one[0].replace("you", "I"), text)
