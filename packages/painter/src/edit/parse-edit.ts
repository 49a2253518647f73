import { parsePrompt } from '../prompt/parse-prompt.js'
import type { Request } from '../prompt/request.js'

/** What an edit asks for. */
export interface EditRequest {
  /** The verb with which something is to be taken away, when one is. */
  readonly removal?: string
  /** What is to be painted or changed. */
  readonly request: Request
}

/** Reads an edit: of "replace the dog with a cat" only the cat is wanted, of "remove the dog" nothing. */
export function parseEdit(prompt: string): EditRequest {
  const clauses = prompt.split(clauseStart)
  const removal = clauses
    .map((clause) => removing.exec(clause)?.[1]?.toLowerCase())
    .find((verb) => verb !== undefined)
  const wanted = clauses.filter((clause) => !removing.test(clause)).map(toWanted)
  return { request: parsePrompt(wanted.join(', ')), ...(removal && { removal }) }
}

/** Of a replacement the new thing; "change the sky to red" names only a colour, which needs the rest. */
function toWanted(clause: string): string {
  const replacement = replacing.exec(clause)?.[1]
  if (replacement === undefined) return clause
  const { heard } = parsePrompt(replacement)
  return heard.length > 0 && heard.every(({ about }) => about === 'color') ? clause : replacement
}

const verbs =
  'add|put|place|paint|draw|insert|make|turn|change|replace|swap|remove|erase|delete|take|get rid|give|let'
const clauseStart = new RegExp(`(?:\\b(?:and then|and|then)\\s+|[,;.]\\s*)(?=(?:${verbs})\\b)`, 'i')
const removing = /^\W*(?:please\s+)?(remove|erase|delete|take out|take away|get rid of)\b/i
const changes = 'replace|swap|exchange|turn|change|convert|transform'
const replacing = new RegExp(
  `^\\W*(?:please\\s+)?(?:${changes})\\b.*?\\b(?:with|by|for|into|to)\\b(.*)$`,
  'is',
)
