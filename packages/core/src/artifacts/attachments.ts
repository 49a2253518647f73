import { CapstanError, messageOf } from '../errors.js'
import { kindOf } from '../option-names.js'
import { attachedMark, type Message, textOf } from '../types/message.js'
import {
  type Artifact,
  type ArtifactStore,
  artifactKindOf,
  isArtifact,
  isArtifactId,
  mayHoldText,
  sniffMediaType,
} from './artifact.js'
import { attachedLine } from './base64-files.js'
import { noArtifact, readBytes } from './memory-artifacts.js'

/** A file of the user: it becomes an artifact and a reference in the conversation. */
export type Attachment =
  | Uint8Array
  | Blob
  | ((Artifact | { readonly path: string } | { readonly data: Uint8Array | Blob }) & {
      /**
       * Whether other people wrote it, such as a mail: the run is tainted from its start. Default false. An artifact
       * with text of an untrusted source taints in any case.
       */
      readonly untrusted?: boolean
    })

/**
 * Returns the last message with a line of references at its end; undefined without attachments.
 * @throws CapstanError `invalid_request` when the last message is not a user's, `not_found` for a missing file or artifact
 */
export async function attach(
  last: Message | undefined,
  attachments: readonly Attachment[],
  store: ArtifactStore,
): Promise<Message | undefined> {
  if (attachments.length === 0) return undefined
  const references: string[] = []
  for (const one of attachments)
    references.push(toLine(await toArtifact(one, store), Object(one).untrusted === true))
  if (last?.role !== 'user') {
    throw new CapstanError(
      'invalid_request',
      '`attachments` needs a user message. Make it the last message of the conversation.',
    )
  }
  const content =
    typeof last.content === 'string'
      ? `${last.content}\n\n${attachedMark}${references.join(', ')}`
      : [...last.content, attachedLine(references, textOf(last.content) !== '')]
  return { ...last, content }
}

async function toArtifact(attachment: Attachment, store: ArtifactStore): Promise<Artifact> {
  if (isArtifact(attachment)) {
    const known = await store.stat(attachment.id)
    if (known) return known
    const message = `Artifact ${attachment.id} is not in this agent's store. Attach its bytes, or share one store between the agents.`
    throw new CapstanError('not_found', message, { evidence: { id: attachment.id } })
  }
  const { bytes, declared } = await open(attachment)
  const mediaType = sniffMediaType(bytes) ?? (declared || 'application/octet-stream')
  return store.put(bytes, { kind: artifactKindOf(mediaType), mediaType })
}

async function open(
  attachment: Exclude<Attachment, Artifact>,
): Promise<{ bytes: Uint8Array; declared?: string }> {
  const { path, data = attachment }: { readonly path?: unknown; readonly data?: unknown } = Object(attachment)
  if (data instanceof Uint8Array) return { bytes: data }
  if (data instanceof Blob) return { bytes: new Uint8Array(await data.arrayBuffer()), declared: data.type }
  if (typeof path === 'string') return { bytes: await readFile(path) }
  const message = `attachments contains ${kindOf(attachment)}. Use { path }, { data }, or bytes.`
  throw new CapstanError('invalid_request', message, { evidence: { option: 'attachments' } })
}

/** Returns the id of a file, with its type, its size and a mark for untrusted text. */
export function toLine(artifact: Artifact, isUntrusted: boolean): string {
  const { id, mediaType, bytes, origin } = artifact
  const isTainted = mayHoldText(artifact) && origin?.taintedBy !== undefined
  return `${id} (${isUntrusted || isTainted ? untrustedMark : ''}${mediaType}, ${bytes} bytes)`
}

/** Reads a file. @throws CapstanError `unsupported` without a file system, `not_found` for a missing file */
async function readFile(path: string): Promise<Uint8Array> {
  try {
    return await fileSystem().readFile(path)
  } catch (error) {
    throw fileError('read', path, error)
  }
}

/** Writes a file. @throws CapstanError `unsupported` without a file system */
export async function writeFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await fileSystem().writeFile(path, bytes)
  } catch (error) {
    throw fileError('write', path, error)
  }
}

/** Loads the module by name, so that bundles for other runtimes need no `node:` import. */
function fileSystem(): typeof import('node:fs/promises') {
  const found = globalThis.process?.getBuiltinModule?.('node:fs/promises')
  if (!found)
    throw new CapstanError(
      'unsupported',
      'This runtime has no file system. Pass bytes or a Blob instead of a path.',
    )
  return found
}

function fileError(what: string, path: string, error: unknown): CapstanError {
  if (error instanceof CapstanError) return error
  return new CapstanError('not_found', `Cannot ${what} "${path}": ${messageOf(error)}`, {
    evidence: { path },
    cause: error,
  })
}

/** An artifact that the user attached. */
interface Attached {
  readonly id: string
  readonly isUntrusted: boolean
}

/** Returns the artifacts that a user message names as attached. */
export function attachedIn({ role, content }: Message): readonly Attached[] {
  if (role !== 'user') return []
  const lines = textOf(content).split('\n')
  const references = lines.filter((line) => line.startsWith(attachedMark)).join(' ')
  return [...references.matchAll(reference)].map(([, id = '', mark]) => ({
    id,
    isUntrusted: mark !== undefined,
  }))
}

/** Marks an artifact with untrusted text in that line. */
const untrustedMark = 'untrusted, '

const reference = new RegExp(`(\\w+) \\((${untrustedMark})?`, 'g')

/** Reads the bytes of a stored artifact. @throws CapstanError `not_found` */
export async function readArtifactBytes(store: ArtifactStore, id: string): Promise<Uint8Array> {
  return readBytes(await store.open(id))
}

/** Writes a stored artifact to a file. The folder must exist. @throws CapstanError `not_found` */
export async function saveArtifact(store: ArtifactStore, id: string, path: string): Promise<void> {
  await writeFile(path, await readArtifactBytes(store, id))
}

/**
 * Returns all artifacts that an artifact was made from, recursively, the oldest first, and itself last. Those that the
 * store no longer has are left out. @throws CapstanError `not_found`
 */
export async function lineage(store: ArtifactStore, id: string): Promise<Artifact[]> {
  const found = await store.stat(id)
  if (!found) throw noArtifact(id)
  const line: Artifact[] = []
  // Depth first. A store may contain anything, even an artifact that was made from itself.
  const seen = new Set<string>()
  const visit = async (artifact: Artifact): Promise<void> => {
    if (seen.has(artifact.id)) return
    seen.add(artifact.id)
    for (const parent of parentsOf(artifact)) {
      const made = await store.stat(parent)
      if (made) await visit(made)
    }
    line.push(artifact)
  }
  await visit(found)
  return line
}

/** Reads `parents`, which other programs may have written. */
function parentsOf({ parents }: Artifact): readonly string[] {
  return Array.isArray(parents) ? parents.filter(isArtifactId) : []
}
