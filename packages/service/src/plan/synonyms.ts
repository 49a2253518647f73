// What the planner knows of English, as data. Every word is matched by its stem.

/** Words that mean the same to the planner; the first of a group stands for all. */
export const synonyms: readonly (readonly string[])[] = [
  ['image', 'picture', 'drawing', 'draw', 'paint', 'painting', 'sketch', 'illustration', 'illustrate'],
  ['image', 'photo', 'photograph', 'depict', 'portrait', 'artwork'],
  ['audio', 'recording', 'sound', 'clip'],
  ['speak', 'say', 'speech', 'spoken', 'aloud', 'voice', 'narrate', 'pronounce', 'recite', 'tts'],
  ['transcribe', 'transcription', 'transcript'],
  ['vary', 'variation', 'variant', 'alternative'],
  ['edit', 'modify', 'change', 'alter', 'adjust', 'update', 'retouch'],
  ['find', 'search', 'lookup', 'query'],
  ['weather', 'forecast', 'rain', 'snow', 'sunny', 'warm', 'cold', 'windy', 'cloudy', 'umbrella'],
  ['currency', 'money', 'dollar', 'euro', 'yen', 'pound', 'usd', 'eur', 'gbp', 'jpy', 'exchange'],
  ['convert', 'conversion'],
  ['price', 'cost', 'quote'],
  ['email', 'mail'],
  ['event', 'meeting', 'appointment', 'calendar'],
  ['task', 'todo', 'chore'],
  ['remind', 'reminder'],
  ['light', 'lamp', 'bulb'],
  ['calculate', 'calculator', 'compute', 'arithmetic', 'evaluate', 'math'],
  ['define', 'definition', 'meaning'],
  ['book', 'reserve', 'reservation', 'booking'],
  ['delete', 'remove', 'erase', 'cancel'],
  ['news', 'headline', 'article'],
  ['flight', 'fly'],
  ['drive', 'car', 'driving'],
  ['walk', 'foot'],
  ['cycle', 'bike', 'bicycle'],
  ['transit', 'train', 'bus', 'subway', 'metro'],
  ['alarm', 'wake'],
  ['route', 'direction', 'directions'],
  ['invoice', 'bill'],
  ['shop', 'store', 'product'],
  ['balance', 'left'],
  ['summarize', 'summary', 'summarise'],
  ['describe', 'description', 'caption'],
]

/** Phrases that act as one word. */
export const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bread\b(?=.*\b(?:aloud|out loud)\b)/gi, ' '],
  [/\bout loud\b/gi, 'aloud'],
  [/\blook(?:ing)?\s+up\b/gi, 'lookup'],
  [/\bto-do\b/gi, 'todo'],
  [/\be-mail/gi, 'email'],
]

/** Words that say nothing about which tool is meant. */
export const stopWords = new Set(
  `a an the of to in on at for with and or but is are was were be been am do does did have has had what which who
  whom whose how when where why can could would should will shall may might must please me my mine i you your we us
  our it its this that these those them they he she him her there here from by as if so about into onto than then
  also just some any all much many more most very like now currently only not no want need let's thing things up out
  off over under per between another other one two three four five six seven eight nine ten today tomorrow s t m re
  what's it's i'm i'd don't example number name given current text string value`.split(/\s+/),
)

/** Verbs and nouns so common in tool names and requests that they weigh little. */
export const genericWords = new Set(
  `get find show list give tell fetch make create set add put run do check send generate new start use return
  latest best work data information info item result tool user`.split(/\s+/),
)
