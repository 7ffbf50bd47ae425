# What R's survey package says of ratios over pictures drawn: the witness of testimate/estimators/box_scores.py.
# Makes survey_boxes.json:  Rscript --vanilla tests/golden/survey_boxes.R > tests/golden/survey_boxes.json
suppressPackageStartupMessages(library(survey))

number <- function(x) sprintf("%.17g", x)
field <- function(name, values) {
  text <- number(values)
  sprintf('"%s": %s', name, if (length(text) == 1) text else sprintf("[%s]", paste(text, collapse = ", ")))
}
case <- function(name, values) {
  sprintf('  "%s": {\n    %s\n  }', name, paste(mapply(field, names(values), values), collapse = ",\n    "))
}

# 60 pictures with 0 to 6 boxes and up to 3 missed objects of two classes.
at <- seq_len(60)
pictures <- data.frame(
  boxes_a = (at * 7) %% 5, boxes_b = (at * 3) %% 4, missed_a = (at * 11) %% 3 * (at %% 4 == 0), missed_b = (at %% 7 == 0) * 1)
pictures$right_a <- pmax(pictures$boxes_a - (at %% 6 == 0), 0)
pictures$right_b <- pmax(pictures$boxes_b - (at %% 5 == 0) * 2, 0)
of <- function(stratum, sizes) {
  data <- cbind(pictures, stratum = stratum, size = sizes[stratum])
  design <- svydesign(ids = ~1, strata = ~stratum, fpc = ~size, data = data)
  ratio <- function(top, bottom) {
    found <- svyratio(top, bottom, design)
    c(coef(found), SE(found))
  }
  list(stratum = stratum - 1, sizes = sizes,
       boxes_a = data$boxes_a, boxes_b = data$boxes_b, right_a = data$right_a, right_b = data$right_b,
       missed_a = data$missed_a, missed_b = data$missed_b,
       precision_a = ratio(~right_a, ~boxes_a), precision_b = ratio(~right_b, ~boxes_b),
       precision = ratio(~I(right_a + right_b), ~I(boxes_a + boxes_b)),
       recall_a = ratio(~right_a, ~I(right_a + missed_a)), recall_b = ratio(~right_b, ~I(right_b + missed_b)),
       recall = ratio(~I(right_a + right_b), ~I(right_a + right_b + missed_a + missed_b)))
}
cases <- c(case("srs", of(rep(1, 60), 700)), case("rrs", of(rep(seq_len(5), 12), c(400, 90, 60, 30, 14))))
cat(sprintf("{\n%s\n}\n", paste(cases, collapse = ",\n")))
