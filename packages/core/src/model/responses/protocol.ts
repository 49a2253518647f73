import type { Protocol } from '../protocol.js'
import { isRefused, withoutOwnField } from '../server-adaptation.js'
import { ResponseBuilder } from './reply.js'
import { toResponsesBody } from './request.js'

/** A server that does not know an item, cannot read its reasoning, or misses what belongs to it. */
const refusesItems =
  /item (with id )?'?\w+'? .*(not found|without its required)|encrypted content .*could not be|invalid_encrypted_content/i

/** `/responses`, the newer interface of OpenAI and of many servers. */
export const responsesProtocol: Protocol = {
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
