import {
  type AnyTool,
  type ArtifactStore,
  type CallOptions,
  isArtifact,
  memoryArtifacts,
} from '@capstan/core'
import type { Allow } from './allow.js'
import { isForeign, type MediaInput } from './media-input.js'
import { storeInput } from './store-input.js'

/** Which parameters of a tool take an artifact, and of what kind. */
export type InputKinds = Readonly<Record<string, 'image' | 'audio'>>

/** The same tool, its `call` taking more than ids; what models are shown, and may write, stays as it was. */
export type WithInputs<T extends AnyTool, Kinds extends InputKinds> = Omit<T, 'call'> & {
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
