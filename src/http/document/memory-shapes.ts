/** Shapes of memories, by the names that the document gives them. */
import {
  foundEntrySchema,
  plainContextSchema,
  searchFilterSchema,
  searchResultSchema,
  searchSchema,
  subjectSearchResultSchema,
} from "../../application/memory/search-shapes.js";
import { entrySchema, newEntrySchema, tagsSchema } from "../../memory/entry.js";
import {
  contextSchema,
  deadLetterSchema,
  invocationSchema,
  memoryChangeSchema,
  memorySchema,
  newMemorySchema,
  newMessageSchema,
  newVaultSchema,
  shownMemorySchema,
  threadMessageSchema,
  threadSchema,
  vaultSchema,
} from "../../memory/memory.js";

export const memoryShapes = {
  NewVault: newVaultSchema,
  Vault: vaultSchema,
  NewMemory: newMemorySchema,
  Memory: memorySchema,
  NewThreadMessage: newMessageSchema,
  ThreadMessage: threadMessageSchema,
  Thread: threadSchema,
  Invocation: invocationSchema,
  NewEntry: newEntrySchema,
  Entry: entrySchema,
  Tags: tagsSchema,
  MemoryContext: contextSchema,
  MemoryContextVersion: plainContextSchema,
  MemorySearch: searchSchema,
  MemoryFilter: searchFilterSchema,
  FoundEntry: foundEntrySchema,
  MemorySearchResult: searchResultSchema,
  SubjectSearchResult: subjectSearchResultSchema,
  ShownMemory: shownMemorySchema,
  MemoryChange: memoryChangeSchema,
  DeadLetter: deadLetterSchema,
};
