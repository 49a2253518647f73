/** A reply of a model, in no protocol. */
export interface Reply {
  readonly reasoning?: string
  readonly text?: string
  readonly refusal?: string
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly arguments: string }[]
  /** The reply was cut at its limit. */
  readonly isCut?: boolean
}

/** Writes a reply as a chat completion, of a server that sends its reasoning beside. */
export function chatReply({ reasoning, text, refusal, calls = [], isCut }: Reply, turn: number): object {
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map(({ id, ...one }, at) => ({
            id: id ?? `call_${turn}_${at}`,
            type: 'function',
            function: one,
          })),
        }
      : {}),
  }
  const finish_reason = isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
  return { id: `chat_${turn}`, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] }
}

/** Writes a reply as a response, with encrypted reasoning. */
export function responsesReply({ reasoning, text, refusal, calls = [], isCut }: Reply, turn: number): object {
  const status = isCut ? 'incomplete' : 'completed'
  const part =
    refusal === undefined
      ? { type: 'output_text', text: text ?? '', annotations: [] }
      : { type: 'refusal', refusal }
  const hasMessage = text !== undefined || refusal !== undefined
  const output = [
    ...(reasoning === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${turn}`,
            summary: [{ type: 'summary_text', text: reasoning }],
            encrypted_content: `gAAAAA${turn}`,
          },
        ]),
    ...(hasMessage
      ? [{ type: 'message', id: `msg_${turn}`, role: 'assistant', status, content: [part] }]
      : []),
    ...calls.map(({ id, ...one }, at) => ({
      type: 'function_call',
      id: `fc_${turn}_${at}`,
      call_id: id ?? `call_${turn}_${at}`,
      status,
      ...one,
    })),
  ]
  return {
    id: `resp_${turn}`,
    object: 'response',
    status,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    error: null,
    model: 'm',
    output,
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  }
}

/** Writes a reply as a message with signed thinking. */
export function messagesReply({ reasoning, text, refusal, calls = [], isCut }: Reply, turn: number): object {
  const content = [
    ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature: `c2ln${turn}` }]),
    ...((text ?? refusal) ? [{ type: 'text', text: text ?? refusal }] : []),
    ...calls.map(({ id, name, arguments: given }, at) => ({
      type: 'tool_use',
      id: id ?? `toolu_${turn}_${at}`,
      name,
      input: JSON.parse(given || '{}'),
    })),
  ]
  const plain = calls.length > 0 ? 'tool_use' : refusal === undefined ? 'end_turn' : 'refusal'
  return {
    id: `msg_${turn}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: isCut ? 'max_tokens' : plain,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }
}
