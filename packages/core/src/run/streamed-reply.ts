import type { Normalized } from '../model/normalize-reply.js'
import type { Emit, EventBody, ToolRef } from '../types/event.js'
import { callsOf } from '../types/message.js'
import type { CallDelta, ModelReply, ModelSink } from '../types/model.js'
import type { RunContext, StreamedCall } from './run-context.js'

/** Reports streamed deltas and keeps the text in case the reply is cut off. Reports nothing after an abort. */
export function toSink(run: RunContext, emit: NonNullable<Emit>, signal: AbortSignal): ModelSink {
  const { stream } = run.parts
  const step = run.state.stepCount
  let text = ''
  return (delta) => {
    if (signal.aborted) return
    if (delta.type === 'retry') {
      text = ''
      run.streamed = undefined
      run.streamedCalls.clear()
      emit({ step, ...delta, type: 'retry-scheduled' })
    } else if (!stream) return
    else if (delta.type === 'call') addPiece(delta, run)
    else {
      if (delta.type === 'text') {
        text += delta.text
        run.streamed = text
      }
      emit({ step, ...delta, type: `${delta.type}-delta` } as EventBody)
    }
  }
}

/** Reports a piece of a call, with those before it, once its id and its name are final. An id stands for one call. */
function addPiece({ id, index, name, arguments: piece }: CallDelta, run: RunContext): void {
  const { streamedCalls, callIds, toolset } = run
  const call = streamedCalls.get(index) ?? { callId: '', name, text: '' }
  let text = piece
  streamedCalls.set(index, call)
  call.text += text
  if (!call.callId) {
    // A name is complete once arguments follow it.
    if (!call.text || !toolset.get(name) || !id?.trim() || callIds.has(id)) return
    callIds.add(id)
    call.callId = id
    call.name = name
    text = call.text
  }
  tell(run, index, call, text)
}

/** Returns the calls of a reply that begin as they were reported. Others get ids that were not. */
export function keptCalls(
  { message }: ModelReply,
  { streamedCalls, callIds }: RunContext,
): readonly StreamedCall[] {
  return [...streamedCalls.values()].filter(({ callId, name, text }) => {
    const called = callsOf(message).find(({ id }) => id === callId)?.function
    return called?.name === name && called.arguments.startsWith(text) && callIds.delete(callId)
  })
}

/** Reports what of the calls was not. */
export function tellRest(
  { message: given }: ModelReply,
  { message }: Normalized,
  told: readonly StreamedCall[],
  run: RunContext,
): void {
  for (const [
    index,
    {
      id: callId,
      function: { name },
    },
  ] of callsOf(message).entries()) {
    const call = told.find((one) => one.callId === callId)
    const text = `${callsOf(given)[index]?.function.arguments}`.slice(call?.text.length)
    if (text || !call) tell(run, index, { callId, name }, text)
  }
}

function tell({ parts, state }: RunContext, index: number, { callId, name }: ToolRef, text: string): void {
  parts.emit?.({ type: 'call-delta', step: state.stepCount, index, callId, name, arguments: text })
}
