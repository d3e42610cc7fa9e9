/** The acts on vaults and memories, in the order in which the document lists them. */
import { awaitConsistency } from "./await-consistency.js";
import { flushThread } from "./flush-thread.js";
import { keepDeadLetter, listDeadLetters, retryDeadLetter } from "./handle-dead-letters.js";
import { listMemoryEvents } from "./list-events.js";
import { addEntry, correctEntry, deleteEntry, listEntries, readEntry, tagEntry } from "./manage-entries.js";
import { changeMemory, createMemory, deleteMemory, findMemories, listMemories, readMemory } from "./manage-memories.js";
import { createVault, deleteVault, listVaults, readVault } from "./manage-vaults.js";
import {
  compareContextVersions,
  listContextSources,
  listContextVersions,
  readContextVersion,
  readMemoryContext,
} from "./read-contexts.js";
import { readPrompts } from "./read-prompts.js";
import { searchEntries, searchMemories } from "./search-entries.js";
import { deleteThread, endThread, listThreads, readThread, recordMessages, startThread } from "./use-threads.js";
import { restoreMemoryContext, writeMemoryContext } from "./write-contexts.js";

export const memoryActs = [
  createVault,
  listVaults,
  readVault,
  deleteVault,
  createMemory,
  findMemories,
  listMemories,
  readMemory,
  changeMemory,
  deleteMemory,
  startThread,
  recordMessages,
  endThread,
  readThread,
  listThreads,
  deleteThread,
  awaitConsistency,
  listMemoryEvents,
  listDeadLetters,
  retryDeadLetter,
  addEntry,
  listEntries,
  readEntry,
  tagEntry,
  deleteEntry,
  correctEntry,
  searchEntries,
  searchMemories,
  readMemoryContext,
  writeMemoryContext,
  listContextVersions,
  readContextVersion,
  listContextSources,
  compareContextVersions,
  restoreMemoryContext,
  flushThread,
  keepDeadLetter,
  readPrompts,
];
