import type { ToolCall } from '../words/message.js'
import type { Answer } from '../words/state.js'
import { overLimit } from './over-limit.js'
import { type Answers, ended, perform } from './perform.js'
import { refusedHandoffs } from './refused-handoffs.js'
import { openCalls, type RunPlan, type Walk } from './walk.js'

/** Answers the open calls that nothing is known of yet, each as one step of the host, side by side. */
export function answer(walk: Walk, plan: RunPlan): Promise<Answers> {
  const { state, firstTurn } = walk
  const handoffs = refusedHandoffs(state, plan)
  const over = overLimit(state)
  const refused = handoffs.size + over.size === 0 ? [] : [...handoffs, ...over]
  const told = state.turn > firstTurn ? Object.entries(state.answered) : []
  for (const [index, outcome] of [...told, ...refused])
    ended(openCalls(state)[Number(index)], outcome, plan, state)
  const { pending, children = {} } = state
  const answered: Record<number, Answer> = { ...state.answered, ...Object.fromEntries(refused) }
  const isOpen = ({ id }: ToolCall, index: number) =>
    !answered[index] && !children[index] && !pending.some(({ callId }) => callId === id)
  const open = openCalls(state).flatMap((call, index) => (isOpen(call, index) ? [{ call, index }] : []))
  return perform(open, { answered, pending, children }, { walk, plan, phase: 'tool' })
}
