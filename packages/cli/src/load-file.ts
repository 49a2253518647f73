import { statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { AnyAgent, AnyTool } from '@capstan/core'
import { suggest } from '@capstan/core/internal'
import { UsageError } from './exit-codes.js'

/**
 * Loads the user's file and returns its exports. Node loads JavaScript, and jiti loads TypeScript.
 * @throws UsageError if the file is missing; Error with the reason and the location if it cannot be loaded
 */
export async function loadFile(file: string): Promise<ModuleExports> {
  const path = resolve(file)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`No such file: ${file}.`)
  const { href } = pathToFileURL(path)
  try {
    if (!/\.[cm]?tsx?$/.test(path)) return await import(href)
    return hasConditions() ? await importWithNodeOrJiti(href) : await importWithJiti(href)
  } catch (cause) {
    throw loadError(file, path, cause)
  }
}

/**
 * Whether Node was started with export conditions. If so, Node tries to load the file first, because jiti ignores
 * conditions.
 */
function hasConditions(): boolean {
  return process.execArgv.some((argument) => /^(?:-C|--conditions)\b/.test(argument))
}

async function importWithNodeOrJiti(href: string): Promise<ModuleExports> {
  try {
    return await import(href)
  } catch (error) {
    const { code } = Object(error) as { readonly code?: unknown }
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return importWithJiti(href)
    throw error
  }
}

type ModuleExports = Readonly<Record<string, unknown>>

/** Imports a TypeScript file by its URL. Packages that the file uses are imported by Node. Leaves no cache files. */
export async function importWithJiti(href: string): Promise<ModuleExports> {
  // Imported only when needed: jiti takes as long to load as the rest of the command.
  const { createJiti } = await import('jiti')
  const options = { fsCache: false, interopDefault: false, jsx: true, tsconfigPaths: true }
  const jiti = createJiti(href, options)
  cache = jiti.cache
  return jiti.import<ModuleExports>(href)
}

let cache: Readonly<Record<string, unknown>> = {}

/** Returns the paths of the TypeScript and CommonJS files that jiti has loaded. */
export function loadedByJiti(): readonly string[] {
  return Object.keys(cache)
}

/** Returns the error for a file that cannot be loaded, with the reason and, if known, the location. */
export function loadError(file: string, path: string, cause: unknown): Error {
  const [reason = ''] = messageOf(cause).split('\nRequire stack:')
  const place = locationIn(cause)
  const location = place === undefined || reason.includes(path) ? '' : ` (at ${place})`
  const summary = reason.trim().replace(/\s*\n\s*/g, ' ')
  return new Error(`Cannot load ${file}: ${summary}${location}${hint(cause, file, place)}`, { cause })
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
}

/** Returns the topmost stack frame that is in the user's own files, such as `agent.ts:12`. */
function locationIn(thrown: unknown): string | undefined {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  for (const [, path = '', line = ''] of stack.matchAll(/(?:^|[\s(])(?:file:\/\/)?(\/[^\s():]+):(\d+)/gm))
    if (!path.includes('/node_modules/') && !path.startsWith(ownFolder))
      return `${relative(process.cwd(), path)}:${line}`
  return undefined
}

/** The folder that contains this command's own code. */
const ownFolder = dirname(fileURLToPath(import.meta.url))

/**
 * Returns advice on finding a JavaScript syntax error, because Node does not report its location. Empty for other
 * errors.
 */
function hint(thrown: unknown, file: string, place: string | undefined): string {
  const isHidden = thrown instanceof SyntaxError && place === undefined
  return isHidden && /\.[cm]?js$/.test(file) ? `. Run node ${file} to see where the error is` : ''
}

/**
 * Returns an agent that a file exports: the one with this name or, without a name, the default export, the export
 * `agent`, or the only agent.
 * @throws UsageError that lists the exports if there is no such agent, or more than one
 */
export function findAgent(exports: ModuleExports, file: string, name?: string): AnyAgent {
  const agents = agentsIn(exports)
  const [only] = agents.size === 1 ? agents.values() : []
  const found = name === undefined ? (agents.get('default') ?? agents.get('agent') ?? only) : agents.get(name)
  if (found) return found
  const names = [...agents.keys()].join(', ')
  if (names === '') throw new UsageError(`${file} exports no agent. ${describeExports(exports)}`)
  if (name !== undefined) throw new UsageError(`${file} exports no agent "${name}". It exports: ${names}.`)
  throw new UsageError(`${file} exports several agents. Choose one with --agent: ${names}.`)
}

/** Returns the exports that are agents, by export name. */
function agentsIn(exports: ModuleExports): ReadonlyMap<string, AnyAgent> {
  return new Map(Object.entries(exports).flatMap(([name, value]) => (isAgent(value) ? [[name, value]] : [])))
}

/** Whether a value is an agent. Checks its shape, because the file may import a different copy of core. */
function isAgent(value: unknown): value is AnyAgent {
  if (typeof value !== 'object' || value === null) return false
  const { run, stream, artifacts } = value as Partial<Record<keyof AnyAgent, unknown>>
  return typeof run === 'function' && typeof stream === 'function' && typeof artifacts === 'object'
}

function describeExports(exports: ModuleExports): string {
  const names = Object.keys(exports).filter((name) => name !== 'module.exports')
  const example = 'Write: export default new Agent({ ... })'
  return names.length === 0
    ? `It exports nothing. ${example}`
    : `Its exports: ${names.join(', ')}. ${example}`
}

/**
 * Returns a file's tools without duplicates: exported tools, tools in exported arrays, and the tools of its agents.
 * @throws UsageError if the file has none
 */
export function findTools(exports: ModuleExports, file: string): readonly AnyTool[] {
  const tools = toolsIn(exports)
  if (tools.length === 0)
    throw new UsageError(
      `${file} exports neither tools nor agents with tools. Export a tool, or an agent that uses one.`,
    )
  return tools
}

/** Like `findTools`, but returns an empty array if there are no tools. */
export function toolsIn(exports: ModuleExports): readonly AnyTool[] {
  const exported = Object.values(exports).flat().filter(isTool)
  const ofAgents = [...agentsIn(exports).values()].flatMap(({ tools = [] }) => tools)
  return [...new Set([...exported, ...ofAgents])]
}

/** Returns the names of the tools that a file's agents use only through `deferred(...)`. */
export function deferredIn(exports: ModuleExports): readonly string[] {
  const given = [...agentsIn(exports).values()].flatMap((agent) => Object(agent).givenTools ?? [])
  const members: readonly AnyTool[] = given.flatMap((one) => Object(one).members ?? [])
  return members.filter((one) => !given.includes(one)).map(({ name }) => name)
}

/**
 * The report of `skills(...)` from `@capstan/tools/skills`: the folders that it skipped, and problems in the other
 * folders.
 */
export interface SkillReport {
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
  readonly findings: readonly { readonly skill: string; readonly rule: string; readonly message: string }[]
}

/** Returns the reports of all `skills(...)` that a file exports or that its agents use, without duplicates. */
export function findSkills(exports: ModuleExports): readonly SkillReport[] {
  const exported = Object.values(exports).flat()
  const ofAgents = [...agentsIn(exports).values()].flatMap((agent) => Object(agent).middlewares ?? [])
  const middlewares = [...exported, ...exported.map((one) => Object(one).middleware), ...ofAgents]
  return [...new Set(middlewares.flatMap((one) => Object(one)[Symbol.for('capstan.skills')] ?? []))]
}

/** Returns the tool with this name. @throws UsageError that lists the tools if there is no such tool */
export function findTool(tools: readonly AnyTool[], name: string): AnyTool {
  const found = tools.find((tool) => tool.name === name)
  if (found) return found
  const names = tools.map((tool) => tool.name)
  const meant = suggest(name, names)
  const advice = meant === undefined ? '' : ` Did you mean "${meant}"?`
  throw new UsageError(`No tool "${name}".${advice} Tools: ${names.join(', ')}.`)
}

/** Whether a value is a tool. Checks its shape, because the file may import a different copy of core. */
function isTool(value: unknown): value is AnyTool {
  if (typeof value !== 'object' || value === null) return false
  const { name, call, definition } = value as Partial<Record<keyof AnyTool, unknown>>
  return typeof name === 'string' && typeof call === 'function' && typeof definition === 'object'
}
