// Bun hangs up on who is silent for ten seconds, be it the agent.
// #region host
import served from './served.js'

export default { ...served, idleTimeout: 0 }
// #endregion
