/** The limits of the model's service, so small that games reach them. It tells them to the devices itself. */
export const limits = { valueBytes: 2_048, entriesPerCollection: 3 };
