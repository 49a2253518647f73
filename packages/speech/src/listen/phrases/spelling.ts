/** A way to read a spelling: the letters at a place, and the sounds they stand for. */
export interface SpellingRule {
  /** Matches at the place itself; what stands before it may be looked at. */
  readonly letters: RegExp
  /** ARPAbet, as the dictionary of the recogniser writes it; empty for what is not spoken. */
  readonly sounds: string
}

/** The sounds of a word by the first rule that fits at each place. Throws an Error where none does. */
export function toSounds(word: string, rules: readonly SpellingRule[]): string {
  const sounds: string[] = []
  let at = 0
  while (at < word.length) {
    const { length, rule } = findRule(word, at, rules)
    if (rule.sounds) sounds.push(rule.sounds)
    at += length
  }
  return sounds.join(' ')
}

function findRule(word: string, at: number, rules: readonly SpellingRule[]) {
  for (const rule of rules) {
    rule.letters.lastIndex = at
    const [found] = rule.letters.exec(word) ?? []
    if (found) return { length: found.length, rule }
  }
  throw new Error(`No rule reads "${word}" at "${word.slice(at)}".`)
}

/** Rules from pairs of letters (a pattern) and sounds, the first that fits before the others. */
export function toRules(pairs: readonly (readonly [letters: string, sounds: string])[]): SpellingRule[] {
  return pairs.map(([letters, sounds]) => ({ letters: new RegExp(letters, 'y'), sounds }))
}
