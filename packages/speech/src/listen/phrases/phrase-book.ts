/** A phrase and its translation. */
export interface Phrase {
  readonly text: string
  readonly english: string
}

/** The languages of the phrase book, by code. */
export type PhraseLanguage = 'es' | 'it'

/** All phrases that can be translated. Any other speech in these languages results in an error. */
export const phraseBook: Readonly<Record<PhraseLanguage, readonly Phrase[]>> = {
  es: toPhrases({
    'buenos días': 'good morning',
    'buenas noches': 'good night',
    'hasta mañana': 'see you tomorrow',
    'muchas gracias': 'thank you very much',
    'por favor': 'please',
    'lo siento mucho': 'I am very sorry',
    '¿cómo está usted?': 'how are you?',
    'no hablo español': 'I do not speak Spanish',
    '¿habla usted inglés?': 'do you speak English?',
    '¿dónde está el baño?': 'where is the bathroom?',
    '¿dónde está la estación?': 'where is the station?',
    '¿cuánto cuesta?': 'how much does it cost?',
    'la cuenta por favor': 'the bill, please',
    'una mesa para dos personas': 'a table for two people',
    'quiero un café con leche': 'I would like a coffee with milk',
    'un vaso de agua': 'a glass of water',
    '¿a qué hora sale el tren?': 'at what time does the train leave?',
    'necesito un médico': 'I need a doctor',
    'me llamo Pedro': 'my name is Pedro',
    'no entiendo nada': 'I do not understand anything',
    'hace mucho calor': 'it is very hot',
    'tengo hambre': 'I am hungry',
    'la comida está muy buena': 'the food is very good',
    'feliz cumpleaños': 'happy birthday',
  }),
  it: toPhrases({
    buongiorno: 'good morning',
    'buona notte': 'good night',
    'ci vediamo domani': 'see you tomorrow',
    'grazie mille': 'thank you very much',
    'per favore': 'please',
    'mi dispiace molto': 'I am very sorry',
    'come sta?': 'how are you?',
    'non parlo italiano': 'I do not speak Italian',
    'lei parla inglese?': 'do you speak English?',
    "dov'è il bagno?": 'where is the bathroom?',
    "dov'è la stazione?": 'where is the station?',
    'quanto costa?': 'how much does it cost?',
    'il conto per favore': 'the bill, please',
    'un tavolo per due persone': 'a table for two people',
    'vorrei un caffè': 'I would like a coffee',
    "un bicchiere d'acqua": 'a glass of water',
    'a che ora parte il treno?': 'at what time does the train leave?',
    'ho bisogno di un medico': 'I need a doctor',
    'mi chiamo Marco': 'my name is Marco',
    'non capisco niente': 'I do not understand anything',
    'fa molto caldo': 'it is very hot',
    'ho molta fame': 'I am very hungry',
    'il cibo è molto buono': 'the food is very good',
    'buon compleanno': 'happy birthday',
  }),
}

function toPhrases(translations: Readonly<Record<string, string>>): Phrase[] {
  return Object.entries(translations).map(([text, english]) => ({ text, english }))
}
