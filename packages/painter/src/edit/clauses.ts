/** One instruction of an edit. */
export type Clause = {
  /** The instruction as the user wrote it. */
  readonly text: string
  /** The verb in lower case. Empty if there is none. */
  readonly verb: string
  /** The words after the verb or, for a replacement, the words for the new thing. */
  readonly words: string
} & ({ readonly kind: 'remove' | 'change' } | { readonly kind: 'replace'; readonly from: string })

/** Splits an edit into instructions. For example, "remove the dog and add a cat" contains two. */
export function toClauses(prompt: string): Clause[] {
  return prompt
    .split(clauseStart)
    .filter((text) => /\S/.test(text))
    .map(toClause)
}

function toClause(text: string): Clause {
  const [, removal, removed = ''] = removing.exec(text) ?? []
  if (removal) return { kind: 'remove', text, verb: removal.toLowerCase(), words: removed }
  const [, changing = '', from = '', words = ''] = replacing.exec(text) ?? []
  if (changing) return { kind: 'replace', text, verb: changing.toLowerCase(), from, words }
  const [, verb = '', rest = text] = plain.exec(text) ?? []
  return { kind: 'change', text, verb: verb.toLowerCase(), words: rest }
}

const verbs =
  'add|put|place|paint|draw|insert|include|make|turn|change|replace|swap|remove|erase|delete|take|get rid|give|let|move|' +
  'colou?r|recolou?r|enlarge|shrink|fix|improve|have'
const clauseStart = new RegExp(`(?:\\b(?:and then|and|then)\\s+|[,;.]\\s*)(?=(?:${verbs})\\b)`, 'i')
const removing = /^\W*(?:please\s+)?(remove|erase|delete|take out|take away|take off|get rid of)\b(.*)$/is
const changes = 'replace|swap|exchange|turn|change|convert|transform'
const replacing = new RegExp(
  `^\\W*(?:please\\s+)?(${changes})\\b(.*?)\\b(?:with|by|for|into|to)\\b(.*)$`,
  'is',
)
const plain = new RegExp(`^\\W*(?:please\\s+)?(${verbs})\\b(.*)$`, 'is')
