import { CapstanError, isCapstanError, type Message, type SessionStore, sessionStore } from '@capstan/core'
import { canonicalJson, isRecord, toJson } from '@capstan/core/internal'
import { whileAway } from './runs/store.js'

/** The marks that are stored with the messages that a run adds to its conversation. */
export interface MessageMarks {
  /** The page's ids for the user messages in the input, in order. */
  readonly userIds: readonly string[]
  /** The page's id for the reply. */
  readonly replyId: string
  /** Statuses of call results, by call id. */
  readonly statuses: ReadonlyMap<string, string>
}

/**
 * Returns a store that adds marks to a run's messages: their ids in the page, the time, and the statuses of calls. The
 * run itself gets its messages without marks. Retries the run's reads and writes while the store is unreachable. Each
 * call to the store has a deadline, because a run whose call never settles would count as active forever.
 */
export function storedConversation(store: SessionStore, marks: MessageMarks, seconds: number): SessionStore {
  const within = <T>(work: () => Promise<T>) => withDeadline('sessions', seconds, work)
  const { fork, branches } = store
  return sessionStore({
    load: (id) =>
      within(async () => {
        const session = await whileAway(() => store.load(id), { isAway: isUnreachable })
        return { ...session, messages: session.messages.map(withoutMarks) }
      }),
    append: (id, messages, version) => {
      const marked = withMarks(messages, marks, version)
      return within(() =>
        whileAway(
          async (isAgain) => {
            // The response to an append may have been lost.
            const { messages: found } = isAgain ? await store.load(id) : { messages: [] }
            const isStored = isAgain && jsonOf(found.slice(version)) === jsonOf(marked)
            return isStored ? found.length : store.append(id, marked, version)
          },
          { isAway: isUnreachable },
        ),
      )
    },
    list: (query) => within(async () => store.list(query)),
    delete: (id) => within(async () => store.delete(id)),
    ...(fork && { fork: (...given) => within(async () => fork.apply(store, given)) }),
    ...(branches && { branches: (id) => within(async () => branches.call(store, id)) }),
  })
}

/** Whether the store may be unreachable. Errors that may come from the application's code are not retried. */
function isUnreachable(error: unknown): boolean {
  return isCapstanError(error) && error.code === 'network' && error.retryable
}

function jsonOf(messages: readonly Message[]): string {
  return canonicalJson(toJson(messages))
}

/** Returns messages in their stored form, with marks. */
export function withMarks(
  messages: readonly Message[],
  { userIds, replyId, statuses }: MessageMarks,
  version = 0,
): readonly Message[] {
  const createdAt = Date.now()
  const ids = [...userIds]
  let hasReply = false
  // In pages, the run's first reply has the id `replyId`. A run that continues adds to the page's existing message.
  return messages.map((message, index) => {
    if (message.role === 'tool') {
      const status = statuses.get(message.tool_call_id)
      return { ...message, createdAt, ...(status === undefined ? {} : { status }) }
    }
    if (message.role === 'user') {
      const messageId = ids.shift()
      return { ...message, createdAt, ...(messageId === undefined ? {} : { messageId }) }
    }
    if (message.role !== 'assistant') return message
    const messageId = hasReply ? `${replyId}-${version + index}` : replyId
    hasReply = true
    return { ...message, createdAt, messageId }
  })
}

/** Returns a stored message without its marks, in the form that runs use. */
export function withoutMarks<One extends Message>(message: One): One {
  const { messageId: _, createdAt: __, ...rest } = message as One & Marks
  if (!isRecord(rest) || rest.role !== 'tool') return rest as unknown as One
  const { status: ___, ...result } = rest as typeof rest & Marks
  return result as unknown as One
}

interface Marks {
  readonly messageId?: unknown
  readonly createdAt?: unknown
  readonly status?: unknown
}

/**
 * Calls a function from the handler's options with a deadline.
 * @throws CapstanError `timeout` if it does not settle in time
 */
export async function withDeadline<T>(option: string, seconds: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    const message = `agentHandler's ${option} did not settle within ${seconds} s. Make sure that every promise it returns settles.`
    const evidence = { option, seconds }
    timer = setTimeout(() => reject(new CapstanError('timeout', message, { evidence })), seconds * 1000)
  })
  try {
    return await Promise.race([work(), timeout])
  } finally {
    clearTimeout(timer)
  }
}
