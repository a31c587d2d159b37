"""How an agent talks: the server's own sentences in its language, its fillers, and whether it can be interrupted."""

from collections.abc import Sequence
from dataclasses import dataclass

from retinue.agents.voice_settings import VoiceSettings

_FILLER_AFTER_S = 1.0
_MANNER = (
    "You speak on a telephone call. Answer in one to three short spoken sentences, without lists, markup, links or "
    "code. Say numbers as people say them."
)


@dataclass(frozen=True, slots=True)
class Phrases:
    """What the server says itself in a call, in one language."""

    sorry: str
    needs_approval: str
    filler: str
    still_busy: tuple[str, ...]
    """Said in turn while an answer takes long."""
    still_there: str
    goodbye: str
    hello: str


PHRASES = {
    "en": Phrases(
        "I am sorry, I cannot answer that right now.",
        "I need my owner's approval for that first.",
        "One moment, please.",
        (
            "I am still working on it.",
            "Thank you for waiting, this takes a little longer.",
            "I have not forgotten you.",
        ),
        "Are you still there?",
        "I cannot hear you. Goodbye.",
        "Hello, this is {name}.",
    ),
    "de": Phrases(
        "Es tut mir leid, das kann ich gerade nicht beantworten.",
        "Dafür brauche ich zuerst eine Zustimmung.",
        "Einen Moment, bitte.",
        ("Ich bin noch dabei.", "Danke für Ihre Geduld, es dauert noch ein wenig.", "Ich habe Sie nicht vergessen."),
        "Sind Sie noch da?",
        "Ich kann Sie nicht hören. Auf Wiederhören.",
        "Guten Tag, hier ist {name}.",
    ),
    "fr": Phrases(
        "Je suis désolé, je ne peux pas répondre pour l'instant.",
        "J'ai d'abord besoin d'une autorisation.",
        "Un instant, s'il vous plaît.",
        ("J'y travaille encore.", "Merci de patienter, cela prend un peu plus de temps.", "Je ne vous ai pas oublié."),
        "Vous êtes toujours là ?",
        "Je ne vous entends pas. Au revoir.",
        "Bonjour, ici {name}.",
    ),
    "es": Phrases(
        "Lo siento, ahora mismo no puedo responder a eso.",
        "Primero necesito una autorización.",
        "Un momento, por favor.",
        ("Sigo en ello.", "Gracias por esperar, esto tarda un poco más.", "No me he olvidado de usted."),
        "¿Sigue usted ahí?",
        "No le oigo. Adiós.",
        "Hola, soy {name}.",
    ),
    "it": Phrases(
        "Mi dispiace, al momento non posso rispondere.",
        "Prima ho bisogno di un'autorizzazione.",
        "Un momento, per favore.",
        ("Ci sto ancora lavorando.", "Grazie per l'attesa, ci vuole ancora un po'.", "Non mi sono dimenticato di lei."),
        "È ancora in linea?",
        "Non la sento. Arrivederci.",
        "Buongiorno, sono {name}.",
    ),
    "pt": Phrases(
        "Lamento, não consigo responder agora.",
        "Primeiro preciso de uma autorização.",
        "Um momento, por favor.",
        ("Ainda estou a tratar disso.", "Obrigado por esperar, demora mais um pouco.", "Não me esqueci de si."),
        "Ainda está aí?",
        "Não o consigo ouvir. Adeus.",
        "Olá, daqui fala {name}.",
    ),
}
"""By the languages of `VoiceSettings`."""


LANGUAGE_NAMES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
}


def speaking_manner(settings: VoiceSettings) -> dict[str, object]:
    """Return the instructions for a model that speaks on a call."""
    if settings.language is None:
        return {"manner": _MANNER}
    return {"manner": _MANNER, "language": f"Speak {LANGUAGE_NAMES[settings.language]}."}


@dataclass(frozen=True, slots=True)
class Manner:
    """The manner of one conversation. `fillers` are said in turn, when a tool takes `filler_after_s`."""

    phrases: Phrases = PHRASES["en"]
    fillers: Sequence[str] = (PHRASES["en"].filler,)
    filler_after_s: float = _FILLER_AFTER_S
    interruptible: bool = True

    @classmethod
    def of(cls, settings: VoiceSettings) -> "Manner":
        """Return the manner of an agent."""
        phrases = PHRASES[settings.language or "en"]
        return cls(
            phrases,
            (phrases.filler,) if settings.fillers is None else settings.fillers,
            _FILLER_AFTER_S if settings.filler_after_seconds is None else settings.filler_after_seconds,
            settings.interruptible is not False,
        )
