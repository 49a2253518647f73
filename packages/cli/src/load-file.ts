import { statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { AnyAgent, AnyTool } from '@capstan/core'
import { createJiti } from 'jiti'
import { nearest } from './args.js'
import { UsageError } from './exit-codes.js'

/**
 * The exports of a user's file: JavaScript as Node reads it, TypeScript by jiti.
 * @throws UsageError when it is not there, else an error that says what keeps it from being read, and where
 */
export async function loadFile(file: string): Promise<Exports> {
  const path = resolve(file)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`There is no file ${file}.`)
  const { href } = pathToFileURL(path)
  try {
    if (!/\.[cm]?tsx?$/.test(path)) return await import(href)
    return hasConditions() ? await byNodeOrJiti(href) : await byJiti(href)
  } catch (cause) {
    throw loadFailure(file, path, cause)
  }
}

/** jiti does not know the conditions that Node was started with; where there are any, Node goes first. */
function hasConditions(): boolean {
  return process.execArgv.some((argument) => /^(?:-C|--conditions)\b/.test(argument))
}

async function byNodeOrJiti(href: string): Promise<Exports> {
  try {
    return await import(href)
  } catch (error) {
    const { code } = Object(error) as { readonly code?: unknown }
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return byJiti(href)
    throw error
  }
}

/** What a module exports. */
type Exports = Readonly<Record<string, unknown>>

/** The exports of a TypeScript file, by its URL. It leaves no files behind; packages are imported by Node itself. */
export function byJiti(href: string): Promise<Exports> {
  const options = { fsCache: false, interopDefault: false, jsx: true, tsconfigPaths: true }
  return createJiti(href, options).import<Exports>(href)
}

/** The error for a file that cannot be loaded: why, and where in it, as far as that is known. */
export function loadFailure(file: string, path: string, cause: unknown): Error {
  const [reason = ''] = messageOf(cause).split('\nRequire stack:')
  const place = placeIn(cause)
  const told = place === undefined || reason.includes(path) ? '' : ` (at ${place})`
  const words = reason.trim().replace(/\s*\n\s*/g, ' ')
  return new Error(`${file} cannot be loaded: ${words}${told}${hint(cause, file, place)}`, { cause })
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
}

/** The innermost line of the user's own files that the stack names, as `agent.ts:12`. */
function placeIn(thrown: unknown): string | undefined {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  for (const [, path = '', line = ''] of stack.matchAll(/(?:^|[\s(])(?:file:\/\/)?(\/[^\s():]+):(\d+)/gm))
    if (!path.includes('/node_modules/') && !path.startsWith(own))
      return `${relative(process.cwd(), path)}:${line}`
  return undefined
}

/** Where this command itself is. */
const own = dirname(fileURLToPath(import.meta.url))

/** Node keeps the place of some errors to itself. */
function hint(thrown: unknown, file: string, place: string | undefined): string {
  const isHidden = thrown instanceof SyntaxError && place === undefined
  return isHidden && /\.[cm]?js$/.test(file) ? `. node ${file} shows where` : ''
}

/**
 * The agent that a file exports: the one that is named, else the default export, `agent`, or the only one.
 * @throws UsageError that says what there is
 */
export function findAgent(exports: Exports, file: string, name?: string): AnyAgent {
  const agents = agentsIn(exports)
  const [only] = agents.size === 1 ? agents.values() : []
  const found = name === undefined ? (agents.get('default') ?? agents.get('agent') ?? only) : agents.get(name)
  if (found) return found
  const names = [...agents.keys()].join(', ')
  if (names === '') throw new UsageError(`${file} exports no agent. ${thereIs(exports)}`)
  if (name !== undefined) throw new UsageError(`${file} exports no agent "${name}". Its agents: ${names}.`)
  throw new UsageError(`${file} exports several agents: choose one by --agent, of ${names}.`)
}

/** The agents among exports, by their names there. */
function agentsIn(exports: Exports): ReadonlyMap<string, AnyAgent> {
  return new Map(Object.entries(exports).flatMap(([name, value]) => (isAgent(value) ? [[name, value]] : [])))
}

/** By its form: the file may have its own copy of core. */
function isAgent(value: unknown): value is AnyAgent {
  if (typeof value !== 'object' || value === null) return false
  const { run, stream, artifacts } = value as Partial<Record<keyof AnyAgent, unknown>>
  return typeof run === 'function' && typeof stream === 'function' && typeof artifacts === 'object'
}

function thereIs(exports: Exports): string {
  const names = Object.keys(exports).filter((name) => name !== 'module.exports')
  const example = 'Write: export default new Agent({ ... })'
  return names.length === 0
    ? `It exports nothing. ${example}`
    : `Its exports: ${names.join(', ')}. ${example}`
}

/** The tools of a file: those it exports, alone or in lists, and those of its agents; each once. @throws UsageError for none */
export function findTools(exports: Exports, file: string): readonly AnyTool[] {
  const exported = Object.values(exports).flat().filter(isTool)
  const ofAgents = [...agentsIn(exports).values()].flatMap(({ tools = [] }) => tools)
  const tools = [...new Set([...exported, ...ofAgents])]
  if (tools.length === 0) throw new UsageError(`${file} exports no tool, and no agent that has one.`)
  return tools
}

/** The tool of a name. @throws UsageError that says which there are */
export function pickTool(tools: readonly AnyTool[], name: string): AnyTool {
  const found = tools.find((tool) => tool.name === name)
  if (found) return found
  const names = tools.map((tool) => tool.name)
  const meant = nearest(name, names)
  const advice = meant === undefined ? '' : ` Did you mean "${meant}"?`
  throw new UsageError(`There is no tool "${name}".${advice} There is: ${names.join(', ')}.`)
}

/** By its form: the file may have its own copy of core. */
function isTool(value: unknown): value is AnyTool {
  if (typeof value !== 'object' || value === null) return false
  const { name, call, definition } = value as Partial<Record<keyof AnyTool, unknown>>
  return typeof name === 'string' && typeof call === 'function' && typeof definition === 'object'
}
