import type { AnyTool } from '@capstan/core'
import MiniSearch from 'minisearch'
import { stemsLike, stemsOf } from './words.js'

/** Finds tools by the words in their names, descriptions and parameters. */
export interface SearchIndex {
  /** Returns the names of matching tools, best first. Tools whose exact names are in the query come first. */
  find(query: string): readonly string[]
}

/** Creates an index of tools. Uses only the start of a long query, so that the cost of a search is bounded. */
export function searchIndex(tools: readonly AnyTool[]): SearchIndex {
  const entries = tools.map(toEntry)
  const heads = new Map(entries.map(({ name, first }) => [name, new Set(stemsOf(`${name} ${first}`))]))
  const index = new MiniSearch<Entry>({
    idField: 'name',
    fields: Object.keys(boost),
    tokenize: (text) => [...stemsOf(text)],
    processTerm: (term) => term,
  })
  index.addAll(entries)
  return {
    find(query) {
      const text = query.slice(0, maxQuery)
      const named = new Set((text.match(/[\w-]+/g) ?? []).filter((word) => heads.has(word)))
      const words = [...new Set(stemsOf(text))].slice(0, maxWords)
      const terms = new Set([...words, ...words.flatMap(stemsLike)])
      const found = index
        .search(text, {
          boost,
          weights,
          fuzzy: (term) => (term.length > 5 ? 1 : false),
          prefix: (term) => term.length > 3,
          tokenize: () => [...terms],
          boostTerm: (term) => (words.includes(term) ? 1 : similar),
        })
        .map(({ id, score }) => ({
          name: String(id),
          score: score * (1 + 3 * likeness(words, heads.get(id))),
        }))
        .sort((one, other) => other.score - one.score)
      const least = (found[0]?.score ?? 0) * worst
      return [...new Set([...named, ...found.filter(({ score }) => score >= least).map(({ name }) => name)])]
    },
  }
}

/** How many characters of a query to use. */
export const maxQuery = 500

/** How many words of a query to use. */
const maxWords = 30

/** The lowest score that counts as a match, as a share of the best score. */
const worst = 0.4

/** The weight of a synonym, relative to the searched word itself. */
const similar = 0.6

/**
 * The weights of a word that differs in one letter (`fuzzy`), and of a longer word that starts with the searched word
 * (`prefix`).
 */
const weights = { fuzzy: 0.3, prefix: 0.4 }

/** The searchable parts of a tool. */
interface Entry extends Readonly<Record<keyof typeof boost, string>> {
  readonly name: string
}

/** The weight of a match in each part. */
const boost = { words: 3, first: 3, description: 1, parameters: 0.5, notes: 0.3 }

function toEntry({ name, definition }: AnyTool): Entry {
  const { description = '', parameters } = definition.function
  const first = firstSentence(description)
  const fields = Object.entries(Object(Object(parameters).properties) as Readonly<Record<string, unknown>>)
  return {
    name,
    words: name,
    first,
    description: description.slice(first.length),
    parameters: fields.map(([field]) => field).join(' '),
    notes: fields.map(([, one]) => Object(one).description ?? '').join(' '),
  }
}

/** Returns how similar the query's words are to the words in a tool's name and first sentence, from 0 to 1. */
function likeness(words: readonly string[], head: ReadonlySet<string> = new Set()): number {
  let same = 0
  for (const word of words) {
    if (head.has(word)) same += 1
    else if (stemsLike(word).some((like) => head.has(like))) same += similar
  }
  return (2 * same) / (words.length + head.size)
}

/** Returns the first sentence of a description, but no more than its first line. */
export function firstSentence(text: string): string {
  const line = text.trim().split('\n', 1).join()
  const end = line.search(/[.!?]\s/)
  return end < 0 ? line : line.slice(0, end + 1)
}
