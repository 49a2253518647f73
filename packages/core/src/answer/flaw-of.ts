import { holdsNumber } from './holds-number.js'

/**
 * What valid JSON says that its value would not: a number with more digits than can be kept, a key twice in one object.
 * Also what lies deeper than most code that looks through values gets.
 */
export function flawOf(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let text = ''
  for (let at = 0; at < json.length; ) {
    const token = tokenAt(json, at)
    at += token.length
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token.startsWith('"')) text = token
    else if (token === ':') {
      if (isTwice(text, open.at(-1))) return `the key ${text} is there twice in one object`
    } else if (/\d/.test(token) && !holdsNumber(token))
      return `the number ${token} is not kept as it is: where it may be, make it a string`
    if (open.length > deepest) return `they are nested more than ${deepest} levels deep: make them flatter`
  }
  return undefined
}

const deepest = 1500

function isTwice(text: string, keys: Set<string> | undefined): boolean {
  const key: string = text.includes('\\') ? JSON.parse(text) : text.slice(1, -1)
  const isThere = keys?.has(key) ?? false
  keys?.add(key)
  return isThere
}

/** A string or a number as a whole, else one character. */
function tokenAt(json: string, at: number): string {
  if (json[at] === '"') return json.slice(at, endOfString(json, at))
  numbers.lastIndex = at
  return numbers.exec(json)?.[0] ?? json.charAt(at)
}

const numbers = /-?\d[\d.eE+-]*/y

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(json: string, at: number): boolean {
  let before = at
  while (json[before - 1] === '\\') before--
  return (at - before) % 2 === 1
}
