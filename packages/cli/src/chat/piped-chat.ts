import { createInterface } from 'node:readline/promises'
import type { PendingCall } from '@capstan/core'
import { formatPendingCall } from '../approvals.js'
import { exitCodes, listenForInterrupt } from '../exit-codes.js'
import { exitCodeOf } from '../outcome.js'
import { type Chat, runTurn, type TurnOptions } from './turn.js'

/**
 * Replies to each piped line, in order, and returns the exit code. Each line is a message. Lines cannot attach files or
 * approve calls, because the piped text may be from someone else. The chat ends at the first error, or at the first
 * call that needs a decision.
 */
export async function chatInPipe(
  chat: Chat,
  input: NodeJS.ReadableStream,
  attachments: NonNullable<TurnOptions['attachments']>,
): Promise<number> {
  const work = listenForInterrupt()
  const { signal } = work
  const left = [...attachments]
  let exit: number = exitCodes.done
  const take = async (message: Parameters<typeof runTurn>[0]) => {
    const result = await runTurn(message, chat, { signal, attachments: left.splice(0) })
    const { stopReason } = result
    if (stopReason !== 'done') exit = exitCodeOf(stopReason)
    if (stopReason === 'pending') tellPending(result.pending ?? [], chat)
    return stopReason !== 'pending' && stopReason !== 'aborted'
  }
  try {
    const unfinished = await chat.session.loadUnfinished()
    if (unfinished && !(await take(unfinished))) return work.exitCode ?? exit
    // Opened right before the loop: lines that arrive before the first read would be lost.
    const lines = createInterface({ input, terminal: false, signal })
    for await (const line of lines) if (line.trim() !== '' && !(await take(line))) break
    return work.exitCode ?? exit
  } finally {
    work.release()
  }
}

/** Prints the pending calls and explains how to decide on them. */
function tellPending(pending: readonly PendingCall[], { terminal, session: { folder } }: Chat): void {
  for (const line of pending.flatMap(formatPendingCall)) terminal.writeLine(line)
  const way = folder === undefined ? 'Chat on a terminal' : 'Continue this session on a terminal'
  terminal.writeLine(`${way} to decide. Piped input cannot approve calls.`)
}
