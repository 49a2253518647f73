import { CapstanError } from '@capstan/core'

type Literal = string | number | boolean

/**
 * Replaces literals in a program with `args["NAME"]`. Does not change comments, templates with `${}`, regular
 * expressions or the keys of objects.
 * @throws CapstanError `not_found` for a literal that the program does not contain
 */
export function replaceLiterals(source: string, parameters: Readonly<Record<string, Literal>>): string {
  const names = new Map(Object.entries(parameters).map(([name, literal]) => [literal, name]))
  const missing = new Set(Object.values(parameters))
  const tokens = tokensOf(source)
  const code = tokens.filter(({ isCode }) => isCode).map(({ text }) => text)
  let place = -1
  const written = tokens.map(({ text, isCode }) => {
    if (!isCode) return text
    place += 1
    const literal = literalOf(text)
    const name = literal === undefined ? undefined : names.get(literal)
    if (literal === undefined || name === undefined || isKey(code[place - 1], code[place + 1])) return text
    missing.delete(literal)
    return `args[${JSON.stringify(name)}]`
  })
  const [first] = missing
  if (first === undefined) return written.join('')
  const message = `saveProgram: the program does not contain the literal ${JSON.stringify(first)} (parameter "${names.get(first)}"). Pass a literal that occurs in the program.`
  throw new CapstanError('not_found', message, { evidence: { literal: first } })
}

interface Token {
  readonly text: string
  /** Whether the token is code. False for white space, comments and regular expressions. */
  readonly isCode: boolean
}

const token =
  /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\s+)|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*(?:`|$)|[A-Za-z_$][\w$]*|(?:0[xob][\da-f]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)n?|[\s\S]/giy
const pattern = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
/** Matches text after which a slash means division. */
const ends = /[\w$)\]}'"`]$/
const words = /^(?:return|typeof|case|in|of|do|else|void|await|yield|delete|instanceof|new)$/

function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = []
  let before = ''
  for (let at = 0; at < source.length; ) {
    pattern.lastIndex = at
    token.lastIndex = at
    const mayDivide = ends.test(before) && !words.test(before)
    const isComment = source.startsWith('//', at) || source.startsWith('/*', at)
    const found = mayDivide || isComment ? null : pattern.exec(source)
    const [text = '', space] = found ?? token.exec(source) ?? []
    tokens.push({ text, isCode: !found && space === undefined })
    if (space === undefined) before = text
    at += text.length
  }
  return tokens
}

function literalOf(text: string): Literal | undefined {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^\d/.test(text)) return Number(text.replaceAll('_', ''))
  const [quote] = text
  if (quote === '`' && text.includes('${')) return undefined
  if (quote !== "'" && quote !== '"' && quote !== '`') return undefined
  const inner = text.slice(1, -1).replace(/\\([\s\S])|"|\n/g, (whole, escaped: string | undefined) => {
    if (whole === '"') return '\\"'
    if (whole === '\n') return '\\n'
    return escaped === "'" || escaped === '`' || escaped === '$' ? escaped : whole
  })
  try {
    return JSON.parse(`"${inner}"`) as string
  } catch {
    return undefined
  }
}

/** Whether the literal between these two tokens is an object key or a member name. */
function isKey(before: string | undefined, after: string | undefined): boolean {
  return before === '.' || (after === ':' && (before === '{' || before === ','))
}
