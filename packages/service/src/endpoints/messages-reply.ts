import type { TypedEvent } from '../http/endpoint.js'
import type { ReplyRequest } from './chat-request.js'
import { type Draft, type DraftCall, toFragments, toId, tokensOf, toWords } from './draft.js'
import type { ProtocolReply } from './reply.js'

type Reply = ProtocolReply<ReplyRequest>

/** Returns the reply as one `message` object. */
export function toMessage(reply: Reply): object {
  const content = toBlocks(reply).map(({ block, call }) =>
    call ? { ...block, input: toInput(call) } : block,
  )
  return { ...toHead(reply), content, ...toStop(reply.draft), usage: toUsage(reply) }
}

/**
 * Returns the events of a stream: the message, each block with its fragments, then the stop reason and the
 * usage.
 */
export function* toMessageEvents(reply: Reply): Generator<TypedEvent> {
  const usage = { ...toUsage(reply), output_tokens: 1 }
  const open = { ...toHead(reply), content: [], stop_reason: null, stop_sequence: null, stop_details: null }
  yield { type: 'message_start', message: { ...open, usage } }
  for (const [index, { block, call }] of toBlocks(reply).entries()) {
    const empty = call ? block : { ...block, text: '' }
    yield { type: 'content_block_start', index, content_block: empty }
    if (index === 0) yield { type: 'ping' }
    const deltas = call
      ? toFragments(call.arguments, String(block.id)).map((partial_json) => {
          return { type: 'input_json_delta', partial_json }
        })
      : toWords(String(block.text)).map((text) => ({ type: 'text_delta', text }))
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta }
    yield { type: 'content_block_stop', index }
  }
  yield { type: 'message_delta', delta: { ...toStop(reply.draft), container: null }, usage: toUsage(reply) }
  yield { type: 'message_stop' }
}

interface Block {
  readonly block: Readonly<Record<string, unknown>>
  /** The call of a block whose input follows. */
  readonly call?: DraftCall
}

// The protocol has no place for the text of a refusal: it is a text, and the stop reason names it.
function toBlocks({ draft: { text, refusal, calls }, seed }: Reply): Block[] {
  const said = [text, refusal].filter((one) => one !== null && one !== '')
  return [
    ...said.map((one) => ({ block: { type: 'text', text: one } })),
    ...calls.map((call, index) => {
      const id = toId('toolu_', seed, index)
      return { call, block: { type: 'tool_use', id, name: call.name, input: {}, caller: { type: 'direct' } } }
    }),
  ]
}

// An object cannot be truncated: only a stream shows the beginning of such arguments.
function toInput({ arguments: args }: DraftCall): unknown {
  try {
    return JSON.parse(args)
  } catch {
    return {}
  }
}

function toHead({ seed, model }: Reply): object {
  return { id: `msg_${seed.slice(0, 24)}`, type: 'message', role: 'assistant', model, container: null }
}

const reasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}

// Scripts may use any other reason.
function toStop({ finish, refusal, stoppedBy }: Draft): object {
  const named = Object.hasOwn(reasons, finish) ? reasons[finish] : finish
  const usual = finish === 'stop' && refusal !== null ? 'refusal' : named
  const isStopped = finish === 'stop' && stoppedBy !== undefined
  return {
    stop_reason: isStopped ? 'stop_sequence' : usual,
    stop_sequence: isStopped ? stoppedBy : null,
    stop_details: null,
  }
}

function toUsage({ draft, promptTokens }: Reply): object {
  return {
    input_tokens: promptTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: tokensOf(draft),
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: null,
    service_tier: 'standard',
  }
}
