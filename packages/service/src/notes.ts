// Recognizes messages that agents, not users, add to a conversation as user messages. They are not requests.

/** Patterns of notes that request the run's final reply. A note may be the end of a request. */
const lastNotes = [
  'Limit reached \\([^)\\n]*\\)\\. You cannot call more tools\\.[^\\n]*',
  'No progress\\. You cannot call more tools\\.[^\\n]*',
  'Your last reply was empty\\. Answer now[^\\n]*',
]

/** Patterns of entire messages from agents. */
const messages = [
  ...lastNotes,
  'Images from (?:the results above|your last reply): [\\s\\S]*',
  '\\([^()\\n]+ cannot be shown: [^()\\n]*\\)',
  'Your reply does not match the required schema: [\\s\\S]*',
  'Your reply was not allowed: [\\s\\S]*\\nReply again without it\\.',
  'No tool ran: you wrote tool calls as text\\.[^\\n]*',
  'Continue\\.',
  'Result of (?:background call \\S+ \\([^)\\n]*\\): |\\S+:\\n)[\\s\\S]*',
  '<tool_response>[\\s\\S]*',
]

const isMessage = new RegExp(`^\\s*(?:${messages.join('|')})$`)

/** Patterns of parts that agents add to a request, or that replace it. */
const added = [
  new RegExp(`(?:${lastNotes.join('|')})$`),
  /\[Summary of the earlier conversation\]\n[\s\S]*$/,
  /\[[^\][\n]* omitted\. Use read_artifact with artifact "\w+" to read any part\.\]/g,
  /^\[Message removed: [\s\S]*\]$/,
]

/** Whether an agent wrote the entire user message: a note, a rejection of a reply, results or images. */
export function isNote(text: string): boolean {
  return isMessage.test(text)
}

/** Returns the text of a user message without the parts that an agent added. */
export function withoutNotes(text: string): string {
  return added.reduce((rest, pattern) => rest.replace(pattern, ''), text)
}

const lateResult = /^Result of background call (\S+) \([^)\n]*\): /

/** Replaces the notices about started background calls with the results of these calls. */
export function withLateResults<Message extends { readonly role: string; readonly text: string }>(
  messages: readonly Message[],
): readonly Message[] {
  const late = new Map<unknown, string>()
  for (const { role, text } of messages) {
    const [head, callId] = (role === 'user' && lateResult.exec(text)) || []
    if (head) late.set(callId, text.slice(head.length))
  }
  return messages.map((message) => {
    const text = message.role === 'tool' && 'callId' in message ? late.get(message.callId) : undefined
    return text === undefined ? message : { ...message, text }
  })
}
