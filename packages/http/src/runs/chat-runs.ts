import type { Session } from '@capstan/core'
import type { HandlerContext } from '../context.js'
import { ownedKey } from '../owned-cache.js'
import type { ActiveChatRun, ChatRuns } from '../stored-chats.js'
import { withMarks } from '../stored-conversation.js'
import { stopRun } from './decide.js'
import { isOver, toFoundRun, waitingCalls } from './record.js'
import { eachRun } from './store.js'

/** Returns the chat of a run, as the store has it. */
export function chatKey(protocol: 'ui' | 'ag-ui', id: string): string {
  return `${protocol}/${id}`
}

/** Returns what stored conversations of a protocol need of the runs. */
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
      // Those before the run are stored.
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
        const found = toFoundRun(runId, stored)
        if (runs.isHeld(found)) await stopRun(runs, found)
        else await runs.store.delete(runId)
      }
    },
  }
}
