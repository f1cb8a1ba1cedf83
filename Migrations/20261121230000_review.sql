-- What a review of a publication looks for.

-- Numbers that some vote for. The predicate is of columns that never change, so counting stays a heap-only update.
CREATE INDEX number_categories_legitimate ON number_categories (number) WHERE category_id = 13;

-- Who is told of publications: what the server that started last was given. Commands beside it tell them too.
CREATE TABLE webhook_receivers (
    url text PRIMARY KEY CHECK (length(url) BETWEEN 1 AND 2000)
);
