import { abortable, chain } from '../async.js'
import { type CapstanError, invalidRequest } from '../errors.js'
import { isString, withoutUndefined } from '../json.js'
import { checkSettings, toFields } from '../model/request-body.js'
import { checkOptionNames } from '../option-names.js'
import type { Feature, PrepareStep } from '../run/feature.js'
import type { Middleware, RunView, StepRequest } from '../run/middleware.js'
import { noSuchTool } from '../tools/rejections.js'
import type { ChatModel } from '../types/model.js'

/**
 * Adds the `prepareStep` option, which changes each request. A request fails with `unknown_tool` if a returned name
 * belongs to no tool, and with `invalid_request` if a tool is returned instead of its name.
 */
export function prepareStep(): Feature {
  return {
    name,
    agentOptions: { prepareStep: 'a function' },
    forAgent: ({ prepareStep: prepare }: Given) =>
      prepare && {
        name,
        async beforeModel({ settings: fields, signal }, { step, messages, toolCalls, context, toolset }) {
          const changes = await abortable(signal, prepare({ step, messages, toolCalls, context }))
          if (!changes) return undefined
          const { tools: names, settings, ...rest } = changes
          checkSettings(settings)
          const definitions = toolset.describe?.(context) ?? toolset.definitions
          const tools = (names && [...new Set(names)])?.map((name) => {
            const definition = definitions[toolset.names.indexOf(name)]
            if (definition) return definition
            throw isString(name) ? noSuchTool(name, toolset.names) : notNames(names)
          })
          return withoutUndefined({
            ...rest,
            tools,
            settings: settings && { ...fields, ...toFields(settings) },
          })
        },
      },
  }
}

function notNames(tools: readonly unknown[]): CapstanError {
  const names = JSON.stringify(tools.map((one) => Object(Object(one).function ?? one).name ?? one))
  return invalidRequest(`prepareStep returned tools. Return names: ${names}.`)
}

type Given = { readonly prepareStep?: PrepareStep<unknown> }

const name = 'prepare-step'

/** Returns the model for a request, or undefined to keep the usual model. */
export type ChooseModel<Context = unknown> = (
  call: StepRequest,
  run: RunView<Context>,
) => ChatModel | undefined | Promise<ChatModel | undefined>

/**
 * Chooses a model for each request, such as a small one for the first steps and a strong one after a failed call. The
 * run option `model` also overrides the chosen model. Cost limits need a price for each model. After a crash, the model
 * of an interrupted request is chosen again, so base the choice only on the call and the run.
 * @throws CapstanError `invalid_request` if `choose` is not a function; a request fails if the chosen value is not a
 * ChatModel
 */
export function modelPerStep<Context = unknown>(choose: ChooseModel<Context>): Middleware<Context> {
  checkOptionNames({ choose: choose ?? null }, { choose: 'a function' }, { of: 'modelPerStep' })
  return {
    name: 'model-per-step',
    beforeModel: (call, run) => chain(choose(call, run), (model) => (model ? { model } : undefined)),
  }
}
