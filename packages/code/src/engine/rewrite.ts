// Rewrites a program's source for the engine. Numbers each occurrence of `tools`, so that a call can report its
// position. Adds code that watches the promises of async functions and that marks the positions of loops and of the
// returned value. Inserts text only within lines, so that line numbers do not change.

import type { ArrowFunctionExpression } from 'acorn'
import { toolNames } from '../labels/flow.js'
import { type AnyNode, childrenOf, loadParser, opening, type Parse, unusedName } from '../labels/parse.js'
import { type FunctionNode, isFunction, namesOf } from '../labels/scopes.js'
import type { Edit, Program, ProgramWithScript, Script } from './program.js'

/**
 * Adds its script to a program. A source that does not parse or is nested too deeply is only wrapped in a function, and
 * the engine then reports the error.
 */
export async function withScript(program: Program): Promise<ProgramWithScript> {
  const parse = await loadParser()
  return { ...program, script: scriptOf(program.source, parse) }
}

function scriptOf(source: string, parse: Parse): Script {
  const whole = `${opening}${source}\n})`
  try {
    const tree = parse(source)
    if (tree) return rewriteTree(whole, tree)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return { code: whole, sites: 0, edits: [] }
}

function rewriteTree(whole: string, program: ArrowFunctionExpression): Script {
  const name = unusedName(program, '$c')
  const edits: Edit[] = [{ at: opening.indexOf(')'), length: 0, text: name }]
  const names = toolNames(namesOf(program))
  const shorthands = shorthandsIn(program)
  for (const [index, { start, end }] of names.entries()) {
    const text = `${name}[${index}]`
    if (shorthands.has(start)) edits.push({ at: end, length: 0, text: `:${text}` })
    else edits.push({ at: start, length: end - start, text })
  }
  editWithin(program, program, { whole, name, edits })
  // At equal positions, insertions come before the replacement of a name.
  edits.sort((a, b) => a.at - b.at || a.length - b.length)
  return { code: edited(whole, edits), sites: names.length, edits }
}

interface Writing {
  readonly whole: string
  readonly name: string
  readonly edits: Edit[]
}

/** Returns the start positions of shorthand properties, whose name is both key and value (`{ name }`). */
function shorthandsIn(node: AnyNode, found = new Set<number>()): ReadonlySet<number> {
  if (node.type === 'Property' && node.shorthand) found.add(node.value.start)
  for (const child of childrenOf(node)) shorthandsIn(child, found)
  return found
}

/**
 * Adds edits that watch the promises of async functions and that mark the positions of loops and of the returned value.
 * The marks are needed because the engine records only the positions of calls and computed members: an error in a loop
 * would otherwise get the position of an earlier call.
 */
function editWithin(
  node: AnyNode,
  program: ArrowFunctionExpression,
  writing: Writing,
  parent?: AnyNode,
  owner: AnyNode = program,
): void {
  const { name, edits } = writing
  const insert = (at: number, text: string) => edits.push({ at, length: 0, text })
  const isAsync = node !== program && isFunction(node) && node.async && !node.generator
  const value = node.type === 'ReturnStatement' && owner === program ? node.argument : undefined
  const body = isLoop(node) ? node.body : undefined
  const isBare = body && body.type !== 'BlockStatement'
  // If nested nodes start at the same position, opens the outer node first and closes it last.
  if (body) insert(isBare ? body.start : body.start + 1, `${isBare ? '{' : ''}void ${name}[0];`)
  // Without the space, `return[1]` would become one name.
  if (value) insert(value.start, ` ${name}.out((`)
  if (isAsync && node.type === 'ArrowFunctionExpression') insert(node.start, `(...${name}p)=>${name}.watch((`)
  const inner = isFunction(node) ? node : owner
  for (const child of childrenOf(node)) editWithin(child, program, writing, node, inner)
  if (value) insert(value.end, '))')
  if (isBare) insert(body.end, '}')
  if (!isAsync) return
  if (node.type === 'ArrowFunctionExpression') insert(node.end, `)(...${name}p))`)
  else watchFunction(node, parent, writing)
}

type Loop = Extract<AnyNode, { type: `${'For' | 'ForIn' | 'ForOf' | 'While' | 'DoWhile'}Statement` }>

function isLoop(node: AnyNode): node is Loop {
  return /^(?:For(?:In|Of)?|While|DoWhile)Statement$/.test(node.type)
}

function watchFunction(
  node: Exclude<FunctionNode, ArrowFunctionExpression>,
  parent: AnyNode | undefined,
  { whole, name, edits }: Writing,
): void {
  const isMethod = parent?.type === 'MethodDefinition' || (parent?.type === 'Property' && parent.method)
  const word = isMethod ? find('async', parent.start, whole) : node.start
  const open = find('(', node.id?.end ?? node.start, whole)
  const close = find(')', node.params.at(-1)?.end ?? open + 1, whole)
  edits.push(
    { at: word, length: 5, text: '     ' },
    { at: open + 1, length: 0, text: `...${name}p){return ${name}.watch((async(` },
    { at: close + 1, length: 0, text: '=>' },
    { at: node.end, length: 0, text: `)(...${name}p))}` },
  )
}

/** Returns the next position where `whole` occurs outside comments. Returns `from` if there is none. */
function find(text: string, from: number, whole: string): number {
  const found = new RegExp(`//[^\\n\\r\\u2028\\u2029]*|/\\*[^]*?\\*/|${text.replace(/[()]/, '\\$&')}`, 'g')
  found.lastIndex = from
  for (let one = found.exec(whole); one; one = found.exec(whole)) if (one[0] === text) return one.index
  return from
}

function edited(whole: string, edits: readonly Edit[]): string {
  let text = ''
  let from = 0
  for (const edit of edits) {
    text += whole.slice(from, edit.at) + edit.text
    from = edit.at + edit.length
  }
  return text + whole.slice(from)
}

/** Converts a position in the script to a column in the source. Columns are counted from 1. */
export function columnIn(source: string, { edits }: Script, line: number, column: number): number {
  const before = line === 1 ? 0 : source.split('\n', line - 1).join('\n').length + 1
  const start = line === 1 ? 0 : opening.length + before
  // Walks through the edits in this line.
  let left = column - 1
  let at = start
  for (const edit of edits) {
    if (edit.at < start) continue
    const unchanged = edit.at - at
    if (left < unchanged) break
    left -= unchanged
    at = edit.at
    if (left < edit.text.length) {
      left = Math.min(left, edit.length)
      break
    }
    left -= edit.text.length
    at += edit.length
  }
  return at + left - start + 1 - (line === 1 ? opening.length : 0)
}
