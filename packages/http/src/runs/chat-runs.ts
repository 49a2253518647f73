import type { Session } from '@capstan/core'
import type { HandlerContext } from '../context.js'
import { ownedKey } from '../owned-cache.js'
import type { ActiveChatRun, ChatRuns } from '../stored-chats.js'
import { withMarks } from '../stored-conversation.js'
import { stopRun } from './decide.js'
import { type FoundRun, isOver, toFoundRun, waitingCalls } from './record.js'
import type { Runs } from './runs.js'
import { eachRun, sleep } from './store.js'

/** Returns the key under which the run store finds a chat's runs. */
export function chatKey(protocol: 'ui' | 'ag-ui', id: string): string {
  return `${protocol}/${id}`
}

/** Aborts a run, in any process, and waits until it has stored its messages. */
async function untilStopped(runs: Runs, found: FoundRun): Promise<void> {
  const { runId, entry } = found
  await stopRun(runs, found)
  for (
    let now: FoundRun | undefined = found;
    now && runs.isHeld(now);
    now = await runs.find(entry.owner, runId)
  )
    await (runs.liveOf(runId)?.over ?? sleep(100))
}

/** Returns the run operations that a protocol's stored conversations use. */
export function chatRunsOf({ runs, options }: HandlerContext, protocol: 'ui' | 'ag-ui'): ChatRuns {
  const stored = async (key: string): Promise<Pick<Session, 'messages'>> =>
    (await options.sessions?.load(key)) ?? { messages: [] }
  return {
    async activeRunOf(owner, chat): Promise<ActiveChatRun | undefined> {
      const found = await runs.newest(owner, { chat: chatKey(protocol, chat) })
      if (!found || isOver(found.entry)) return undefined
      const { runId, record } = found
      const state = runs.liveOf(runId)?.state ?? record.state
      if (!state) return undefined
      const { userIds, branch } = record.start
      const session = ownedKey(owner, chat) + branch
      const marks = { userIds, replyId: runId, statuses: new Map<string, string>() }
      // The messages before the run are stored.
      const { messages: before } = await stored(session)
      const own = withMarks(state.messages.slice(before.length), marks, before.length)
      const pending = found.entry.status === 'pending' ? waitingCalls(record).map(({ call }) => call) : []
      return { runId, session, messages: [...before, ...own], results: state.results, pending }
    },
    async endRunsOf(owner, chat) {
      for await (const { runId, ...stored } of eachRun(runs.store, {
        owner,
        chat: chatKey(protocol, chat),
      })) {
        await untilStopped(runs, toFoundRun(runId, stored))
        await runs.store.delete(runId)
      }
    },
  }
}
