// A message of the conversation, in the format that the server accepts back.

export const isCall = ({ toolCallId }) => toolCallId !== undefined
export const waits = ({ state }) => state === 'approval-requested'
export const isRunning = ({ state, approval }) =>
  state?.startsWith('input-') || (state === 'approval-responded' && approval.approved)

/** Adds a part of the stream to a message. `now` is absent for parts that are replayed. */
export function take(message, part, now) {
  const { parts } = message
  const { type, id, delta, mediaType, url, data, messageMetadata } = part
  if (messageMetadata) message.metadata = { ...message.metadata, ...messageMetadata }
  if (type === 'start-step') parts.push({ type: 'step-start' })
  if (type === 'text-start') parts.push({ type: 'text', text: '', id })
  if (type === 'text-delta') parts.findLast((text) => text.type === 'text' && text.id === id).text += delta
  if (type === 'file') parts.push({ type, mediaType, url })
  if (type === 'data-approval') callOf(message, data).question = data.reason
  if (type.startsWith('tool-')) takeCall(message, part, now)
}

/** Approves a pending call, or denies it with a reason. */
export function decide(call, approved, reason) {
  const approval = { ...call.approval, approved, ...(approved || !reason ? {} : { reason }) }
  Object.assign(call, { state: 'approval-responded', approval, since: Date.now() })
}

/** Returns a description of an image or a recording, from the call that made it. */
export function describe({ parts }, { url, mediaType }) {
  const id = url.split('/').at(-1)
  const { input, toolName } = parts.find(({ output }) => JSON.stringify(output ?? '').includes(id)) ?? {}
  const kind = { image: 'Picture', audio: 'Recording' }[mediaType.split('/')[0]] ?? 'File'
  return `${kind}: ${input?.prompt ?? input?.input ?? (toolName ? `made by ${toolName}` : id)}`
}

const states = {
  'tool-input-start': 'input-streaming',
  'tool-input-delta': 'input-streaming',
  'tool-input-error': 'output-error',
  'tool-approval-request': 'approval-requested',
}

function takeCall(message, part, now) {
  const { type, toolCallId, toolName, dynamic, approvalId, input, output, errorText } = part
  const known = callOf(message, part)
  const call = known ?? {
    type: dynamic ? 'dynamic-tool' : `tool-${toolName}`,
    toolName,
    toolCallId,
    since: now,
  }
  if (!known) message.parts.push(call)
  call.state = states[type] ?? type.slice('tool-'.length)
  if (approvalId) call.approval = { id: approvalId }
  if (input !== undefined) call.input = input
  Object.assign(call, { output, errorText })
  if (/^output-(available|error)$/.test(call.state) && call.since && now) call.ms = now - call.since
}

/** Returns the newest call with this id: a later step may use the id of an earlier one. */
function callOf({ parts }, { toolCallId }) {
  return parts.findLast((part) => part.toolCallId === toolCallId)
}
