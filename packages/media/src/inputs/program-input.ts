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
import { audioType, type Intake, storeHeld } from './resolve-input.js'
import { headOf, holdBlob, holdBytes } from './stored-bytes.js'

/** Which parameters of a tool take an artifact, and of what kind. */
type InputKinds = Readonly<Record<string, 'image' | 'audio'>>

/** The same tool, its `call` taking more than ids; what models are shown, and may write, stays as it was. */
type WithInputs<T extends AnyTool, Kinds extends InputKinds> = Omit<T, 'call'> & {
  call(args: Widened<Parameters<T['call']>[0], Kinds>, options?: CallOptions): ReturnType<T['call']>
}

type Widened<Args, Kinds extends InputKinds> = {
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
 * Lets programs give a tool bytes, files and addresses where models give ids: they are stored first, and the tool is
 * called by id. Not by its schema: what a model writes goes through that, and a path of a model's must open nothing.
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
        if (isArtifact(given)) ids[field] = given.id
        else if (isForeign(given))
          ids[field] = (await storeInput(given, allow, { kind, field, store: artifacts, signal })).id
      }
      return tool.call({ ...args, ...ids }, { ...options, artifacts })
    },
  } as unknown as WithInputs<T, Kinds>
}

/**
 * What a program may give a tool for an image or a recording: the id of one or the artifact itself, bytes, a Blob, a
 * file's path, a `data:` address, or an address that is fetched.
 */
export type MediaInput<Kind extends 'image' | 'audio'> = Artifact<Kind>['id'] | Artifact<Kind> | Foreign

/** What of it is not in the store yet. */
type Foreign =
  | Uint8Array
  | Blob
  | { readonly path: string }
  | `data:${string}`
  | URL
  | `http://${string}`
  | `https://${string}`

/** Whether something given must be stored before a tool can take it by its id. */
function isForeign(given: unknown): given is Foreign {
  if (typeof given === 'string') return /^(data:|https?:\/\/)/i.test(given)
  return typeof given === 'object' && given !== null && !isArtifact(given)
}

/**
 * What a program gave a tool, as an artifact. An address may be of any public host, and of those allowed.
 * @throws CapstanError `invalid_arguments` for content of another kind, or what reading and fetching say
 */
async function storeInput(given: Foreign, allow: Allow, intake: Intake): Promise<Artifact> {
  const path = pathOf(given)
  if (path !== undefined) return storeFile(path, limitsOf(allow).bytes, intake)
  await using fetched = await open(given, allow, intake)
  return await storeHeld(fetched, fetched.mediaType, intake)
}

function pathOf(given: Foreign): string | undefined {
  if (given instanceof URL && given.protocol === 'file:') return fileSystem().url.fileURLToPath(given)
  return typeof given === 'object' && 'path' in given && typeof given.path === 'string'
    ? given.path
    : undefined
}

async function storeFile(path: string, most: number, intake: Intake): Promise<Artifact> {
  const held = await openFile(path)
  const { kind, field, store } = intake
  if (kind === 'audio')
    return store.put(held.stream(), { kind, mediaType: await audioType(await headOf(held), field) })
  if (held.blob.size > most) throw invalid(field, `is larger than ${most} bytes`)
  return storeHeld(held, '', intake)
}

async function open(given: Foreign, allow: Allow, intake: Intake): Promise<Fetched> {
  const { field, signal } = intake
  if (given instanceof Uint8Array) return { ...holdBytes(given), mediaType: '' }
  if (given instanceof Blob) return { ...holdBlob(given), mediaType: given.type.split(';')[0] ?? '' }
  if (typeof given !== 'string' && !(given instanceof URL))
    throw invalid(
      field,
      'is nothing that can be read: give an id, an artifact, bytes, a Blob, { path } or a URL',
    )
  const address = String(given)
  if (/^data:/i.test(address)) {
    const inside = parseDataUri(address)
    if (inside) return inside
    throw invalid(field, `is a data: address that cannot be read. It begins: ${address.slice(0, 40)}`)
  }
  if (!URL.canParse(address)) throw invalid(field, `is no address: ${address.slice(0, 100)}`)
  const reach = { hosts: allow.hosts ?? [], anyPublic: 'http' } as const
  const told = { what: `"${field}"`, code: 'invalid_arguments', advice } as const
  return fetchUrl(new URL(address), { ...told, reach, signal, limits: limitsOf(allow) })
}

const advice = 'Allow the host, allow: { hosts }, or give the bytes.'

function invalid(field: string, why: string): CapstanError {
  return new CapstanError('invalid_arguments', `"${field}" ${why}.`, { evidence: { field } })
}
