import type { OutputPlan } from '../run/output.js'
import type { Toolset } from '../tool/toolset.js'
import type { AnyTool } from '../tool/types.js'
import type { ChildAgent } from '../words/host.js'
import type { ChatModel } from '../words/model.js'
import type { AgentOptions } from './agent-options.js'

/** An agent as runs know it, its types aside. */
export interface InnerAgent extends ChildAgent {
  readonly options: AgentOptions<readonly AnyTool[]>
  readonly model: ChatModel
  readonly toolset: Toolset
  readonly output: OutputPlan | undefined
}
