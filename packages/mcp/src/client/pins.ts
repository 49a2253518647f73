// Pins are hashes of tool definitions. They reveal when a server changes a tool after you have reviewed it.
import { CapstanError } from '@capstan/core'
import { canonicalJson, isRecord, messageOf, tryJson } from '@capstan/core/internal'
import type { Tool as ServerTool } from '@modelcontextprotocol/client'
import { skipReason } from './messages.js'

/** The hashes of a tool's definition. */
interface Pin {
  readonly description: string
  readonly schema: string
  /** The hash of the tool's hints, which may determine whether a call needs an approval. */
  readonly annotations: string
}

/** The content of a pins file. */
interface Pins {
  readonly format: 1
  readonly tools: Readonly<Record<string, Pin>>
}

/** A tool that differs from its pin. */
export interface PinChange {
  readonly name: string
  /** The parts that have changed: `description`, `schema` or `annotations`. Empty for a new tool. */
  readonly changed: readonly string[]
  /** The current definition. Its text is untrusted. */
  readonly now: Pick<ServerTool, 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'>
}

/**
 * The content of the changes file, which is next to the pins file: the changes, and all pins with the changes applied.
 */
interface Changes extends Pins {
  readonly changes: readonly PinChange[]
}

/**
 * Compares a server's tools with a pins file. If there is no such file, writes one. Returns the reasons why tools
 * cannot be used, by tool name. Writes the changes to a second file, next to the pins file.
 * @throws CapstanError `invalid_state` for a file that cannot be read or written
 */
export async function checkPins(
  file: string,
  listed: readonly ServerTool[],
): Promise<ReadonlyMap<string, string>> {
  const tools = listed.filter((tool) => skipReason(tool) === undefined)
  const now = new Map<string, Pin>()
  // If two tools have the same name, the first one is used.
  for (const tool of tools) if (!now.has(tool.name)) now.set(tool.name, await toPin(tool))
  const found = await writeOnce(file, { format: 1, tools: Object.fromEntries(now) })
  const changes: PinChange[] = []
  for (const [name, pin] of now) {
    const before = Object.hasOwn(found.tools, name) ? found.tools[name] : undefined
    const changed = before ? pinParts.filter((part) => before[part] !== pin[part]) : []
    const tool = tools.find((one) => one.name === name)
    if (!tool || (before && changed.length === 0)) continue
    const { title, description, inputSchema, outputSchema, annotations } = tool
    changes.push({ name, changed, now: { title, description, inputSchema, outputSchema, annotations } })
  }
  await writeChanges(file, { ...found, tools: { ...found.tools, ...Object.fromEntries(now) }, changes })
  return new Map(changes.map(({ name, changed }) => [name, whyNot(changed, file)]))
}

const pinParts = ['description', 'schema', 'annotations'] as const

function whyNot(changed: readonly string[], file: string): string {
  const what =
    changed.length === 0
      ? `It is new: "${file}" does not contain it`
      : `It has changed (${changed.join(', ')})`
  return `${what}. To review and accept it, run: capstan mcp accept ${file}`
}

/**
 * Adds the most recently found changes to a pins file, and returns these changes.
 * @throws CapstanError `invalid_state` for a file that cannot be read or written
 */
export async function acceptPins(file: string): Promise<readonly PinChange[]> {
  const { rename } = await import('node:fs/promises')
  await readPins(file)
  const changes = await pendingChanges(file)
  if (changes.length === 0) return []
  await rename(changesFile(file), file).catch((error: unknown) => {
    throw unusable(file, `cannot be written: ${codeOf(error)}`)
  })
  return changes
}

/**
 * Returns the most recently found changes. Empty if there are none.
 * @throws CapstanError `invalid_state` for a file that cannot be read
 */
async function pendingChanges(file: string): Promise<readonly PinChange[]> {
  const text = await readText(changesFile(file))
  if (text === undefined) return []
  const { changes } = toPins(changesFile(file), text) as Partial<Changes>
  if (Array.isArray(changes)) return changes
  throw unusable(changesFile(file), 'contains no list of changes. Delete it')
}

async function toPin({
  title,
  description,
  annotations,
  inputSchema,
  outputSchema,
}: ServerTool): Promise<Pin> {
  return {
    description: await hash([title, description]),
    schema: await hash([inputSchema, outputSchema]),
    annotations: await hash([annotations]),
  }
}

async function hash(parts: readonly unknown[]): Promise<string> {
  const { createHash } = await import('node:crypto')
  // Hash the JSON form, which omits undefined fields.
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(JSON.stringify(parts))))
    .digest('hex')
}

/**
 * Returns the pins in a file. If the file does not exist, writes it atomically. If several processes try to write it,
 * only one succeeds.
 */
async function writeOnce(file: string, pins: Pins): Promise<Pins> {
  const { link, unlink } = await import('node:fs/promises')
  const known = await readText(file)
  if (known !== undefined) return toPins(file, known)
  const own = await writeBeside(file, pins)
  try {
    await link(own, file)
    return pins
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return readPins(file)
    throw unusable(file, `cannot be written: ${codeOf(error)}`)
  } finally {
    await unlink(own)
  }
}

/** Writes the changes file, or removes it if there are no changes. */
async function writeChanges(file: string, { changes, ...pins }: Changes): Promise<void> {
  const { rename, rm } = await import('node:fs/promises')
  const beside = changesFile(file)
  try {
    if (changes.length === 0) await rm(beside, { force: true })
    else await rename(await writeBeside(file, { ...pins, changes }), beside)
  } catch (error) {
    throw unusable(beside, `cannot be written: ${codeOf(error)}`)
  }
}

async function writeBeside(file: string, content: object): Promise<string> {
  const { writeFile } = await import('node:fs/promises')
  const own = `${file}.${crypto.randomUUID()}`
  try {
    await writeFile(own, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx' })
    return own
  } catch (error) {
    throw unusable(file, `cannot be written: ${codeOf(error)}`)
  }
}

async function readPins(file: string): Promise<Pins> {
  const text = await readText(file)
  if (text === undefined) throw unusable(file, 'does not exist')
  return toPins(file, text)
}

/** Reads a file. Undefined if it does not exist. */
async function readText(file: string): Promise<string | undefined> {
  const { readFile } = await import('node:fs/promises')
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusable(file, `cannot be read: ${codeOf(error)}`)
  }
}

function toPins(file: string, text: string): Pins {
  const pins = tryJson(text)
  const isPin = (pin: unknown) =>
    isRecord(pin) && pinParts.every((part) => /^[0-9a-f]{64}$/.test(String(pin[part])))
  const isValid =
    isRecord(pins) && pins.format === 1 && isRecord(pins.tools) && Object.values(pins.tools).every(isPin)
  if (isValid) return pins as unknown as Pins
  throw unusable(file, 'does not contain pins of MCP tools. Delete it to pin the current tools')
}

function changesFile(file: string): string {
  return `${file}.changes`
}

function codeOf(error: unknown): string {
  return String(Object(error).code ?? messageOf(error))
}

function unusable(file: string, why: string): CapstanError {
  const message = `The pins file "${file}" ${why}.`
  return new CapstanError('invalid_state', message, { evidence: { file } })
}
