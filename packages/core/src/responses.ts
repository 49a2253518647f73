import { isRefused, withoutOwnField } from './features/request-forms.js'
import { standardOfModels } from './features.js'
import { type ChatModelOptions, createServerModel } from './model/chat-model.js'
import type { Protocol } from './model/protocol.js'
import { ResponseBuilder } from './model/responses/reply.js'
import { toResponsesBody } from './model/responses/request.js'
import type { ChatModel } from './types/model.js'

/** The same options as for `chatModel`. */
export interface ResponsesModelOptions extends ChatModelOptions {}

/**
 * Creates a model that calls an OpenAI-style `/responses` endpoint. The server stores nothing: each request contains
 * the full history, with the server's encrypted reasoning. Takes the same options as `chatModel`.
 * @throws CapstanError `invalid_request` as `chatModel` does
 */
export function responsesModel(name: string, options: ResponsesModelOptions = {}): ChatModel {
  const model = createServerModel(
    name,
    options,
    responsesProtocol,
    standardOfModels.map((make) => make()),
  )
  // Changed in place, because the model's secrets are registered for this object.
  return Object.assign(model, { hostedTools: true })
}

/**
 * Matches errors from servers that cannot find an item, cannot read its reasoning, or report that a related item is
 * missing.
 */
const refusesItems =
  /item (with id )?'?\w+'? .*(not found|without its required)|encrypted content .*could not be|invalid_encrypted_content/i

/** The protocol of the Responses API, `/responses`, which OpenAI and many other servers offer. */
const responsesProtocol: Protocol = {
  of: 'responsesModel',
  path: '/responses',
  toBody: toResponsesBody,
  adaptations: [
    ({ text, form }) =>
      !form.withoutInclude && (/encrypted content is not supported/i.test(text) || isRefused('include', text))
        ? { withoutInclude: true }
        : undefined,
    withoutOwnField('response_items', refusesItems),
  ],
  createBuilder: (options) => new ResponseBuilder(options),
}
