export { folderRunStore } from './folder/folder-run-store.js'
