import type { ArtifactOrigin, ArtifactStore } from '../../artifacts/artifact.js'
import { readBytes } from '../../artifacts/memory-artifacts.js'
import { abortable } from '../../async.js'
import { toBase64 } from '../../bytes.js'
import { CapstanError, isCapstanError } from '../../errors.js'
import { onceFor, withoutUndefined } from '../../json.js'
import { SpendLimiter } from '../../limits.js'
import { furtherFieldsOf } from '../../model/request-body.js'
import type { Attachment, Feature } from '../../run/feature.js'
import type { Middleware, StepReply, StepRequest } from '../../run/middleware.js'
import type { RunContext } from '../../run/run-context.js'
import {
  type AssistantMessage,
  type ContentPart,
  isTextPart,
  type Message,
  mediaOf,
  textOf,
  type UserMessage,
} from '../../types/message.js'
import { attach, mayHoldMedia, storeFilesIn, takeMedia } from './attachments.js'
import { FileKeeper, replaceFilesIn } from './base64-files.js'
import { withFile } from './file-parts.js'

/**
 * Stores the pictures, sounds and other files of replies as artifacts, which the history names, and shows the files of
 * user messages in each request. On by default, and the last to change requests and replies.
 */
export function messageMedia(): Feature {
  const [sent, seen] = [shownBefore(), shownBefore()]
  return {
    name,
    isInner: true,
    runOptions: { attachments: 'a list: [one, two]' },
    forAgent({ middleware = [] }: { readonly middleware?: readonly Middleware[] }) {
      if (middleware.some((one) => one.name === name)) throw notRemoved()
      return this
    },
    async prepareInput({ messages, from, options, artifacts }) {
      const stored = await storeFilesIn(messages, artifacts, from)
      const { attachments = [] } = options as { readonly attachments?: readonly Attachment[] }
      const last = await attach(stored.at(-1), attachments, artifacts)
      return last ? [...stored.slice(0, -1), Object.freeze(last)] : stored
    },
    beforeModel({ messages, signal, model: { vision = false } }, run: RunContext) {
      const { artifacts } = run
      const isShown = () => messages.some(({ media }) => media)
      const isOwn = messages === run.messages
      if (isOwn) run.hasMedia ??= isShown()
      if (!(isOwn ? run.hasMedia : isShown())) return undefined
      const known = (vision ? seen : sent)(artifacts)
      const all = toSentMessages(messages, { store: artifacts, vision }, known)
      return abortable(signal, all).then((messages) => ({ messages }))
    },
    afterModel(reply, call, run: RunContext) {
      return mayHoldMedia(reply.message) ? withoutMedia(reply, call, run) : undefined
    },
  }
}

const name = 'message-media'

function notRemoved(): CapstanError {
  const message = `"${name}" cannot be turned off: it keeps base64 out of the history. Remove it from middleware.`
  return new CapstanError('invalid_request', message, { evidence: { option: 'middleware' } })
}

/** The messages with their files, for each store and message. */
function shownBefore() {
  return onceFor((_store: ArtifactStore) => new WeakMap<Message, Message>())
}

/** Returns the messages with their files. The same message is the same object in each request: it is serialized once. */
async function toSentMessages(
  messages: readonly Message[],
  source: ShownFiles,
  known: WeakMap<Message, Message>,
): Promise<readonly Message[]> {
  const all: Message[] = []
  for (const message of messages) {
    const shown = message.media ? (known.get(message) ?? (await toSent(message, source))) : message
    if (shown !== message) known.set(message, shown)
    all.push(shown)
  }
  return all
}

interface ShownFiles {
  readonly store: ArtifactStore
  /** Whether the model sees: then attached pictures are shown. */
  readonly vision: boolean
}

async function toSent(message: Message, source: ShownFiles): Promise<Message> {
  if (message.role === 'user') return withShownFiles(message, source)
  const { content } = message
  // Many servers take text alone in a message of the model.
  const isText = message.role === 'assistant' && Array.isArray(content) && content.every(isTextPart)
  return isText ? { ...message, content: textOf(content) } : message
}

async function withShownFiles(message: UserMessage, { store, vision }: ShownFiles): Promise<UserMessage> {
  const { content } = message
  const parts: unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [...content]
  for (const { artifact, shown, isAttached } of mediaOf(message)) {
    if (isAttached && !vision) continue
    const bytes = artifact && shown && (await bytesOf(artifact, store))
    // Servers refuse larger pictures.
    if (bytes && !(isAttached && bytes.byteLength > 20 * 2 ** 20))
      parts.splice(shown.at, 0, withFile(shown.part, shown.place, toBase64(bytes)))
  }
  // Without a picture a text stays one.
  return parts.length > 1 ? { ...message, content: parts as ContentPart[] } : message
}

/** Returns undefined for an artifact that was deleted: the message still names it. */
async function bytesOf(id: string, store: ArtifactStore): Promise<Uint8Array | undefined> {
  try {
    return await readBytes(await store.open(id))
  } catch (error) {
    if (isCapstanError(error) && error.code === 'not_found') return undefined
    throw error
  }
}

async function withoutMedia(
  reply: StepReply,
  call: StepRequest,
  run: RunContext,
): Promise<StepReply | undefined> {
  // The server's own field of this name is not a mark of ours.
  const { media: foreign, ...given } = reply.message
  const limiter = new SpendLimiter(run.state, run.settings.prices)
  const keeper = new FileKeeper(run.artifacts, { origin: originOf(reply, call, run), limiter })
  const message = await takeMedia(given, keeper)
  if (!message) return foreign === undefined ? undefined : { ...reply, message: withoutStaleMark(given) }
  const { kept: artifacts, spent, limit: passed } = keeper
  for (const artifact of artifacts)
    run.emit({ type: 'artifact-stored', model: modelOf(reply, call), artifact })
  const { output } = reply
  const read =
    output && 'value' in output ? { value: await replaceFilesIn(output.value, keeper.keep) } : output
  return {
    ...reply,
    ...(read ? { output: read } : {}),
    message: withoutStaleMark(message),
    media: withoutUndefined({ artifacts, spent, passed }),
  }
}

/** Without its files a reply may have no field left that its server alone takes. */
function withoutStaleMark({ server, ...message }: AssistantMessage): AssistantMessage {
  const isMarked = server !== undefined && furtherFieldsOf(message).length > 0
  return isMarked ? { ...message, server } : message
}

function modelOf({ model }: StepReply, call: StepRequest): string {
  return model ?? call.model.name
}

/** What a model writes after it read untrusted text is trusted no more than that. */
function originOf(
  reply: StepReply,
  call: StepRequest,
  { runId, taintedBy: before }: RunContext,
): ArtifactOrigin {
  const taintedBy = before ?? reply.message.taintedBy
  return withoutUndefined({ model: modelOf(reply, call), runId, taintedBy })
}
