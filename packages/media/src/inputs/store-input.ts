import { type Artifact, CapstanError } from '@capstan/core'
import { type Allow, limitsOf } from './allow.js'
import { parseDataUri } from './data-uri.js'
import { type Fetched, fetchUrl } from './fetch-url.js'
import { fileSystem } from './file-system.js'
import { headOf, holdBlob, holdBytes } from './held.js'
import type { Foreign } from './media-input.js'
import { openFile } from './open-file.js'
import { audioType, type Intake, storeHeld } from './store-held.js'

/**
 * What a program gave a tool, as an artifact. An address may be of any public host, and of those allowed.
 * @throws CapstanError `invalid_arguments` for content of another kind, or what reading and fetching say
 */
export async function storeInput(given: Foreign, allow: Allow, intake: Intake): Promise<Artifact> {
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
