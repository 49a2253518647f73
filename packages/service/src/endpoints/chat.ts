import { createHash } from 'node:crypto'
import type { Endpoint } from '../http/endpoint.js'
import { checkModel, engineHeader } from '../models.js'
import { plan } from '../plan/plan.js'
import type { Script } from '../script/play-script.js'
import type { Draft } from './chat-draft.js'
import { countTokens, toDraft } from './chat-draft.js'
import { inForm } from './chat-form-answer.js'
import { cutDraft } from './chat-limits.js'
import { toChunks, toCompletion } from './chat-reply.js'
import type { ChatRequest } from './chat-request.js'
import { parseChatRequest } from './chat-request.js'

/**
 * Answers a conversation with tool calls or text, whole or as a stream of chunks. A script answers what its rules are
 * for; else rules plan the answer, no language model.
 */
export function chatEndpoint(script?: Script): Endpoint {
  return async ({ fields }) => {
    const headers = engineHeader(checkModel(fields.model, 'chat'))
    const request = parseChatRequest(fields)
    const played = script?.(request.messages)
    const draft = cutDraft(played ?? planned(request), request.limits)
    const asked = `${JSON.stringify(fields.messages)}${JSON.stringify(fields.tools ?? fields.functions ?? [])}`
    const seed = createHash('sha256').update(asked).digest('hex')
    const reply = {
      draft,
      seed,
      promptTokens: countTokens(asked),
      model: String(fields.model),
      isOldForm: request.isOldForm,
    }
    if (!request.stream) return { headers, json: toCompletion(reply) }
    return { headers, events: toChunks(reply, request.withUsage) }
  }
}

function planned({ messages, tools, choice, parallel, form, isOldForm }: ChatRequest): Draft {
  const answer = plan({ messages, tools, choice, parallel: parallel && !isOldForm })
  return inForm(toDraft(answer), form, messages)
}
