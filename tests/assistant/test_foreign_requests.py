"""Requests in German, Spanish and French that store something keep the words of the user."""

import pytest

from retinue_assistant.foreign_requests import in_known_english


@pytest.mark.parametrize(
    ("request_", "english"),
    [
        ("Erinnere mich morgen um 9 an den Zahnarzt", "Add a task: Zahnarzt tomorrow at 9:00"),
        ("Bitte erinnern Sie mich am Freitag um 17:30 Uhr an die Steuer.", "Add a task: Steuer on Friday at 17:30"),
        ("Erinnere mich daran, Milch zu kaufen", "Add a task: Milch zu kaufen"),
        ("Recu\u00e9rdame ma\u00f1ana a las 9 llamar al dentista", "Add a task: llamar al dentista tomorrow at 9:00"),
        ("Rappelle-moi de payer le loyer lundi \u00e0 8h30", "Add a task: payer le loyer on Monday at 8:30"),
        ("Erinnerst du dich an mich?", ""),
        ("Remind me tomorrow to call mum", ""),
        ("Setze Milch auf meine Einkaufsliste", "Add Milch to my checklist 'Einkaufsliste'"),
        ("Bitte f\u00fcge \u00c4pfel zur Liste hinzu.", "Add \u00c4pfel to my checklist 'Liste'"),
        ("Schreib Brot und K\u00e4se auf die Einkaufsliste", "Add Brot and K\u00e4se to my checklist 'Einkaufsliste'"),
        ("A\u00f1ade leche a mi lista de la compra", "Add leche to my checklist 'lista de la compra'"),
        ("Ajoute du lait \u00e0 ma liste de courses", "Add lait to my checklist 'liste de courses'"),
        ("Streiche Milch von meiner Einkaufsliste", "Take 'Milch' off my checklist 'Einkaufsliste'"),
        ("Quita la leche de mi lista de la compra", "Take 'leche' off my checklist 'lista de la compra'"),
        ("Enlève le lait de ma liste de courses", "Take 'lait' off my checklist 'liste de courses'"),
        ("Hake Milch auf meiner Einkaufsliste ab", "Tick off 'Milch' on my checklist 'Einkaufsliste'"),
        ("Coche le lait sur ma liste de courses", "Tick off 'lait' on my checklist 'liste de courses'"),
        ("Was steht auf meiner Einkaufsliste?", "Show my checklist 'Einkaufsliste'"),
        ("\u00bfQu\u00e9 hay en mi lista de la compra?", "Show my checklist 'lista de la compra'"),
        ("Qu'y a-t-il sur ma liste de courses ?", "Show my checklist 'liste de courses'"),
        ("Was steht auf dem Schild?", ""),
        ("Merke dir, dass mein Spind die Nummer 7 hat", "Remember that mein Spind die Nummer 7 hat"),
        ("Recuerda que mi talla es la 42", "Remember that mi talla es la 42"),
        ("Retiens que ma fille est allergique au lait.", "Remember that ma fille est allergique au lait"),
        ("Notiere: Reifen wechseln lassen", "Save a note with the text 'Reifen wechseln lassen'"),
        ("Neue Aufgabe: Steuererkl\u00e4rung am Freitag", "Add a task: Steuererkl\u00e4rung on Friday"),
        ("Nueva tarea: pagar el alquiler", "Add a task: pagar el alquiler"),
        ("Trage morgen um 15 Uhr Zahnarzt in den Kalender ein", "Put 'Zahnarzt' into my calendar tomorrow at 15:00"),
        ("Pon dentista ma\u00f1ana a las 10 en mi calendario", "Put 'dentista' into my calendar tomorrow at 10:00"),
        ("Mets dentiste demain \u00e0 10h dans mon agenda", "Put 'dentiste' into my calendar tomorrow at 10:00"),
        ("Ich habe gestern 12,50 Euro f\u00fcrs Mittagessen ausgegeben", "I spent 12.50 EUR on Mittagessen yesterday"),
        ("Gast\u00e9 15 euros en comida", "I spent 15 EUR on comida"),
        ("Aujourd'hui, j'ai d\u00e9pens\u00e9 20 euros pour des livres", "I spent 20 EUR on livres today"),
        ("Was wei\u00dft du \u00fcber mich?", "List everything you remember about me"),
        ("Wirf eine M\u00fcnze", ""),
    ],
)
def test_a_request_to_store_something_keeps_the_words_of_the_user(request_: str, english: str) -> None:
    assert in_known_english(request_) == english
