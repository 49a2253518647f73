import { ignore, noted } from '../async.js'
import { invalidOption } from '../errors.js'
import { eachOf, isFunction } from '../json.js'
import type { RunState } from '../types/state.js'
import type { Middleware, RunView, Tool } from './middleware.js'

/** Returns a middleware that turns off the default one with this name: `without('stuck-detection')`. */
export function without(name: string): Middleware {
  const nothing = { name }
  replacements.add(nothing)
  return nothing
}

/** The middlewares that turn off a default. */
export const replacements = new WeakSet<Middleware>()

/** Valid names of middlewares: lower-case letters, digits and hyphens, starting with a letter. */
export const middlewareName = /^[a-z][a-z0-9-]*$/

/** Returns a copy of a state without a middleware's data. */
export function withoutKept(state: RunState, name: string): RunState {
  const { [name]: _, ...kept } = state.kept
  return { ...state, kept }
}

type HookName = Exclude<keyof Middleware, 'name' | 'toolNames' | 'outputSchema' | 'wholeRun' | 'observe'>
type With<Name extends HookName> = Middleware & { readonly [Hook in Name]-?: NonNullable<Middleware[Hook]> }

/** Returns the names of all hooks, each with the kind of value that it accepts. */
export function hookKinds() {
  return eachOf(
    'beforeModel wrapModel wrapRequest retryModel afterModel beforeTool wrapTool beforeSpend afterTool onResume beforeRun beforeStep afterReply afterCall afterStep afterRun shouldStop beforeStop decide tools',
    'a function',
  )
}

/** An agent's middlewares, by hook. A hook that no middleware defines costs nothing. */
export class Hooks {
  declare readonly list: readonly Middleware[]
  declare readonly beforeModel: readonly With<'beforeModel'>[]
  declare readonly wrapModel: readonly With<'wrapModel'>[]
  declare readonly wrapRequest: readonly With<'wrapRequest'>[]
  declare readonly retryModel: readonly With<'retryModel'>[]
  declare readonly afterModel: readonly With<'afterModel'>[]
  declare readonly beforeTool: readonly With<'beforeTool'>[]
  declare readonly wrapTool: readonly With<'wrapTool'>[]
  declare readonly beforeSpend: readonly With<'beforeSpend'>[]
  /** In reverse order: the outermost hook is called last. */
  declare readonly afterTool: readonly With<'afterTool'>[]
  declare readonly onResume: readonly With<'onResume'>[]
  declare readonly beforeRun: readonly With<'beforeRun'>[]
  declare readonly beforeStep: readonly With<'beforeStep'>[]
  declare readonly afterReply: readonly With<'afterReply'>[]
  declare readonly afterCall: readonly With<'afterCall'>[]
  declare readonly afterStep: readonly With<'afterStep'>[]
  declare readonly afterRun: readonly With<'afterRun'>[]
  declare readonly decide: readonly With<'decide'>[]
  declare readonly shouldStop: readonly With<'shouldStop'>[]
  declare readonly beforeStop: readonly With<'beforeStop'>[]
  /** Middlewares whose tools depend on the run, in reverse order: `long-results` adds its tool after all others. */
  declare readonly tools: readonly { readonly name: string; tools(run: RunView): readonly Tool[] }[]

  constructor(list: readonly Middleware[]) {
    for (const hook of Object.keys(hookKinds()) as HookName[])
      Object.assign(this, {
        [hook]: list.filter((one) => isFunction(one[hook])).map((one) => named(one, hook)),
      })
    this.list = list
    this.afterTool = this.afterTool.toReversed()
    this.tools = this.tools.toReversed()
  }
}

/** Returns a middleware that contains only this hook. The hook's errors name the original middleware. */
function named(one: Middleware, hook: HookName): Middleware {
  const call = one[hook] as (...given: unknown[]) => unknown
  const source = `${hook} of middleware "${one.name}"`
  const isPure = pureHooks.includes(hook)
  const fail = (error: unknown): never => {
    throw noted(error, source)
  }
  // Hooks run many times per step, so calling one creates no closure.
  const run = (...given: unknown[]) => {
    let result: unknown
    try {
      result = call.apply(one, given)
    } catch (error) {
      fail(error)
    }
    if (!(result instanceof Promise)) return result
    if (!isPure) return result.catch(fail)
    result.catch(ignore)
    throw invalidOption('middleware', `${source} returned a promise. Make it synchronous.`)
  }
  return { name: one.name, [hook]: run }
}

/** Hooks that must be pure, because they run between host steps and durable runs execute them again. */
const pureHooks = 'onResume afterReply afterCall afterStep shouldStop beforeStop'.split(' ')
