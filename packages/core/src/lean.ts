// biome-ignore assist/source/organizeImports: this order keeps similar code together in a bundle, which gzip needs.
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { CapstanError } from './errors.js'
import { getOwn } from './json.js'
import { leanChatModel as chatModel } from './model/chat-model.js'
import { agentWith } from './agent.js'
import type { Middleware } from './run/middleware.js'
import type { AnyTool } from './tools/tool.js'
import type { Agent as AgentOf } from './types/agent.js'

// Exports everything from the main entry point, except that `Agent` and `chatModel` are replaced below.
export * from './index.js'
export { leanChatModel as chatModel } from './model/chat-model.js'

/** The type of `Agent` from `@capstan/core`, with the same option types. */
export type Agent<
  Tools extends readonly AnyTool[] = readonly AnyTool[],
  Output extends StandardSchemaV1 | undefined = StandardSchemaV1 | undefined,
  Added extends readonly Middleware[] = readonly Middleware[],
> = AgentOf<Tools, Output, Added>

/**
 * An agent that has only the features in its `features` option. If you set an option whose feature is missing, the
 * error names the feature.
 */
export const Agent = /* @__PURE__ */ agentWith({
  features: () => [],
  chatModel,
  needs: {
    toolSettings: {
      effects: 'effectKeys()',
      show: 'showImages()',
      background: 'backgroundCalls()',
      untrusted: 'taintTracking()',
      maxResultBytes: 'longResults()',
    },
    lacking,
  },
})

/** The feature that each option, method or kind of input needs. */
const featureOf: Readonly<Record<string, string>> = {
  output: 'structuredOutput()',
  policy: 'policies()',
  prepareStep: 'prepareStep()',
  stopWhen: 'stopWhen()',
  onContextLost: 'lostContext()',
  attachments: 'messageMedia()',
  taintedBy: 'taintTracking()',
  decisions: 'resume()',
  allowChangedTools: 'resume()',
  wait: 'streaming()',
  detach: 'streaming()',
  keepEvents: 'streaming()',
  'agent.stream': 'streaming()',
  'A state as input': 'resume()',
}

function lacking(what: string): CapstanError | undefined {
  const feature = getOwn(featureOf, what)
  const message = `${what} needs ${feature} from @capstan/core/lean in features.`
  return feature ? new CapstanError('unsupported', message, { evidence: { option: what } }) : undefined
}
