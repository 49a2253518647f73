import { CapstanError } from '../errors.js'
import { kindOf } from '../option-names.js'
import type { ChatModel } from '../types/model.js'

/** Rejects a value that is not a model. @throws CapstanError `invalid_request` with the way to make one */
export function checkModel(model: unknown, of = '`model`'): asserts model is ChatModel {
  const { complete, doGenerate, specificationVersion, chat } = Object(model)
  if (typeof complete === 'function') return
  let [found, use] = [kindOf(model), 'chatModel(name) or openaiModel(client, name)']
  if (chat) [found, use] = ['an OpenAI client', 'openaiModel(client, name) of @capstan/core/openai']
  if (doGenerate || specificationVersion)
    [found, use] = ['an AI SDK model', 'aiSdkModel(model) of @capstan/core/ai-sdk']
  throw new CapstanError('invalid_request', `${of} is not a ChatModel: it is ${found}. Use ${use}.`)
}

/** Rejects a name that is not that of a model. @throws CapstanError `invalid_request` */
export function checkName(name: unknown, of: string): void {
  if (typeof name === 'string' && name !== '') return
  const found = name === '' ? 'empty' : kindOf(name)
  throw new CapstanError(
    'invalid_request',
    `The name of the model is ${found}. Use one: ${of}("gpt-5-mini").`,
  )
}
