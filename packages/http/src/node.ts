export { type FetchHandler, type NodeListener, toNodeListener } from './node-listener.js'
