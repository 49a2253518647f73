const irregular: Readonly<Record<string, string>> = {
  child: 'children',
  person: 'people',
  fish: 'fish',
  goldfish: 'goldfish',
  goose: 'geese',
  cacti: 'cacti',
  aircraft: 'aircraft',
  spacecraft: 'spacecraft',
}

/** Several of an English noun; a phrase changes its last word, and "cup of tea" its first. */
export function pluralOf(noun: string): string {
  const [, head = '', rest] = /^(.*?)( of .*)$/.exec(noun) ?? []
  if (rest) return pluralOf(head) + rest
  const [, before = '', last = ''] = /^(.* )?(.*)$/.exec(noun) ?? []
  return before + pluralWord(last)
}

function pluralWord(word: string): string {
  const known = irregular[word]
  if (known) return known
  if (/(^|wo)man$/.test(word)) return word.replace(/man$/, 'men')
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return `${word}s`
}
