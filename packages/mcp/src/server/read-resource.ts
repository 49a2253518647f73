import type { ArtifactStore } from '@capstan/core'
import { readBytes, toBase64 } from '@capstan/core/wire'
import type { ReadResourceResult } from '@modelcontextprotocol/server'
import { idOf } from './artifact-uri.js'
import type { CallerArtifacts } from './caller-artifacts.js'
import { type McpServerOptions, usualMaxReadBytes } from './server-options.js'

/** A caller, and what can be read here. */
export interface Reading {
  readonly caller: unknown
  readonly stores: Iterable<ArtifactStore>
  readonly artifacts: CallerArtifacts
  readonly options: Pick<McpServerOptions, 'maxReadBytes'>
}

type Contents = ReadResourceResult['contents'][number]

/** What a link leads to; nothing for one that leads nowhere, or to what is not this caller's; words for what is too large. */
export async function readResource(uri: string, reading: Reading): Promise<Contents | string | undefined> {
  const id = idOf(uri)
  if (id === undefined) return undefined
  const { caller, stores, artifacts, options } = reading
  const { maxReadBytes = usualMaxReadBytes } = options
  for (const whole of stores) {
    const store = artifacts.readableOf(whole, caller)
    const found = await store.stat(id)
    if (!found) continue
    if (!(await artifacts.mayRead(found, caller))) return undefined
    if (found.bytes > maxReadBytes)
      return `"${id}" has ${found.bytes} bytes; ${maxReadBytes} are the most that can be read here.`
    const bytes = await readBytes(await store.open(id))
    const { mediaType: mimeType } = found
    return found.kind === 'text'
      ? { uri, mimeType, text: new TextDecoder().decode(bytes) }
      : { uri, mimeType, blob: toBase64(bytes) }
  }
  return undefined
}
