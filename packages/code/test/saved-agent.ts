// An agent with a saved program, for the command line.
import { makeSaver } from './shown-agent.js'

export default await makeSaver()
