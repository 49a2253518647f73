import { type ChatModelOptions, createServerModel } from './model/chat-model.js'
import { responsesProtocol } from './model/responses/protocol.js'
import type { ChatModel } from './types/model.js'

/** The options of `chatModel`, for a server with `/responses`. */
export interface ResponsesModelOptions extends ChatModelOptions {}

/**
 * Creates a model behind an OpenAI-style `/responses`. The server keeps nothing: each request has the whole history,
 * with the reasoning that the server encrypted. Options and errors are those of `chatModel`.
 * @throws CapstanError `invalid_request` as `chatModel` does
 */
export function responsesModel(name: string, options: ResponsesModelOptions = {}): ChatModel {
  const model = createServerModel(name, options, responsesProtocol)
  // The same object, of which the secrets are known.
  return Object.assign(model, { hostedTools: true })
}
