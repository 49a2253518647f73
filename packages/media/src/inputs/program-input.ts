import {
  type AnyTool,
  type Artifact,
  type ArtifactStore,
  type CallOptions,
  CapstanError,
  isArtifact,
  memoryArtifacts,
} from '@capstan/core'
import { type Allow, limitsOf } from './allow.js'
import { fileSystem } from './byte-streams.js'
import { type Fetched, fetchUrl, parseDataUri } from './fetch-url.js'
import { openFile } from './folder-files.js'
import { audioType, type StoreTarget, storeMedia } from './resolve-input.js'
import { fromBlob, fromBytes, readHead } from './stored-bytes.js'

/** A tool's parameters that take an artifact, with the kind of each artifact. */
type InputKinds = Readonly<Record<string, 'image' | 'audio'>>

// Exported because the compiler loses the parameters of these types when it has to expand them in declarations.

/** The same tool, with a `call` that accepts more than ids. The schema for models does not change. */
export type WithInputs<T extends AnyTool, Kinds extends InputKinds> = Omit<T, 'call'> & {
  call(args: Widened<Parameters<T['call']>[0], Kinds>, options?: CallOptions): ReturnType<T['call']>
}

/** Arguments that accept ids and also other forms of files. */
export type Widened<Args, Kinds extends InputKinds> = {
  [Key in keyof Args]: Key extends keyof Kinds
    ? MediaInput<Kinds[Key]> | Extract<Args[Key], undefined>
    : Args[Key]
}

interface InputOptions<Kinds extends InputKinds> {
  readonly kinds: Kinds
  readonly allow?: Allow
  readonly artifacts?: ArtifactStore
}

/**
 * Lets programs pass bytes, files and URLs to a tool to which models pass ids. The input is stored first. The schema
 * does not change, because a path from a model must never open a file.
 */
export function withInputs<T extends AnyTool, const Kinds extends InputKinds>(
  tool: T,
  { kinds, allow = {}, artifacts: own }: InputOptions<Kinds>,
): WithInputs<T, Kinds> {
  return {
    ...tool,
    async call(args: Record<string, unknown>, options: CallOptions = {}) {
      const artifacts = own ?? options.artifacts ?? memoryArtifacts()
      const { signal = new AbortController().signal } = options
      signal.throwIfAborted()
      const ids: Record<string, unknown> = {}
      for (const [field, kind] of Object.entries(kinds)) {
        const given: unknown = Object(args)[field]
        if (isArtifact(given)) ids[field] = await storedId(given, artifacts)
        else if (await isLostPath(given, allow, artifacts))
          throw invalid(field, `is a path, not an id: ${String(given)}`, 'Pass { path }.')
        else if (isExternal(given))
          ids[field] = (await storeInput(given, allow, { kind, field, store: artifacts, signal })).id
      }
      return tool.call({ ...args, ...ids }, { ...options, artifacts })
    },
  } as unknown as WithInputs<T, Kinds>
}

/**
 * Input for an image or a recording: an artifact or its id, bytes, a Blob, a file path, a `data:` URL, or a URL to
 * fetch.
 */
export type MediaInput<Kind extends 'image' | 'audio'> = Artifact<Kind>['id'] | Artifact<Kind> | ExternalInput

/** An input that is not in the store yet. */
type ExternalInput =
  | Uint8Array
  | Blob
  | { readonly path: string }
  | `data:${string}`
  | URL
  | `http://${string}`
  | `https://${string}`

/**
 * Returns an artifact's id in a call's store. If the store does not contain an artifact that a direct call returned,
 * stores it first.
 */
async function storedId(given: Artifact, store: ArtifactStore): Promise<string> {
  const { id, size: _, sha256: __, ...info } = given
  if (!('read' in given) || typeof given.read !== 'function' || (await store.stat(id))) return id
  return (await store.put(await given.read(), info)).id
}

/** Whether a string can only be a path. Programs must pass paths as `{ path }`. */
async function isLostPath(given: unknown, { folder }: Allow, store: ArtifactStore): Promise<boolean> {
  const isPath = typeof given === 'string' && /[./\\]/.test(given) && !isExternal(given)
  return isPath && folder === undefined && !(await store.stat(given))
}

/** Whether an input must be stored before the call. */
function isExternal(given: unknown): given is ExternalInput {
  if (typeof given === 'string') return /^(data:|https?:\/\/)/i.test(given)
  return typeof given === 'object' && given !== null && !isArtifact(given)
}

/**
 * Stores a program's input as an artifact. A URL may point to any public or allowed host.
 * @throws CapstanError `invalid_arguments` for content of another kind, or the error that occurred when reading or
 * fetching it
 */
async function storeInput(given: ExternalInput, allow: Allow, target: StoreTarget): Promise<Artifact> {
  const path = pathOf(given)
  if (path !== undefined) return storeFile(path, limitsOf(allow).bytes, target)
  await using fetched = await openInput(given, allow, target)
  return await storeMedia(fetched, fetched.mediaType, target)
}

function pathOf(given: ExternalInput): string | undefined {
  if (given instanceof URL && given.protocol === 'file:') return fileSystem().url.fileURLToPath(given)
  return typeof given === 'object' && 'path' in given && typeof given.path === 'string'
    ? given.path
    : undefined
}

async function storeFile(path: string, most: number, target: StoreTarget): Promise<Artifact> {
  const stored = await openFile(path)
  const { kind, field, store } = target
  if (kind === 'audio')
    return store.put(stored.stream(), { kind, mediaType: await audioType(await readHead(stored), field) })
  if (stored.blob.size > most) throw invalid(field, `is larger than ${most} bytes`)
  return storeMedia(stored, '', target)
}

async function openInput(given: ExternalInput, allow: Allow, target: StoreTarget): Promise<Fetched> {
  const { field, signal } = target
  if (given instanceof Uint8Array) return { ...fromBytes(given), mediaType: '' }
  if (given instanceof Blob) return { ...fromBlob(given), mediaType: given.type.split(';')[0] ?? '' }
  if (typeof given !== 'string' && !(given instanceof URL))
    throw invalid(field, 'is not a valid input: pass an id, an artifact, bytes, a Blob, { path } or a URL')
  const address = String(given)
  if (/^data:/i.test(address)) {
    const inside = parseDataUri(address)
    if (inside) return inside
    throw invalid(field, `is not a valid data: URL. It starts with: ${address.slice(0, 40)}`)
  }
  if (!URL.canParse(address)) throw invalid(field, `is not a valid URL: ${address.slice(0, 100)}`)
  const policy = { hosts: allow.hosts ?? [], anyPublic: 'http' } as const
  const errors = { what: `"${field}"`, code: 'invalid_arguments', advice } as const
  return fetchUrl(new URL(address), { ...errors, policy, signal, limits: limitsOf(allow) })
}

const advice = 'Allow the host with allow: { hosts }, or pass the bytes.'

function invalid(field: string, why: string, use = ''): CapstanError {
  return new CapstanError('invalid_arguments', `"${field}" ${why}. ${use}`.trim(), { evidence: { field } })
}
