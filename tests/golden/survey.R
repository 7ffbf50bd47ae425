# What R's survey package says of small samples: the witness of testimate/estimators.
# Makes survey.json:  Rscript --vanilla tests/golden/survey.R > tests/golden/survey.json
# Each case holds its own data, so that the tests read both from the one file.
suppressPackageStartupMessages(library(survey))

number <- function(x) sprintf("%.17g", x)
field <- function(name, values) {
  text <- if (is.character(values)) sprintf('"%s"', values) else number(values)
  sprintf('"%s": %s', name, if (length(text) == 1) text else sprintf("[%s]", paste(text, collapse = ", ")))
}
case <- function(name, ...) {
  values <- list(...)
  fields <- mapply(field, names(values), values)
  sprintf('  "%s": {\n    %s\n  }', name, paste(fields, collapse = ",\n    "))
}
mean_of <- function(design) svymean(~loss, design)

sizes <- c(5000, 3000, 1500, 500)

# 1. Strata of unequal size, 20 labels each, failures 0, 2, 7, 12; with and without finite population correction.
failures <- c(0, 2, 7, 12)
labels <- data.frame(
  stratum = rep(0:3, each = 20),
  loss = unlist(lapply(failures, function(z) rep(c(1, 0), c(z, 20 - z))))
)
labels$size <- sizes[labels$stratum + 1]
labels$chance <- 20 / labels$size
with_fpc <- svydesign(ids = ~1, strata = ~stratum, fpc = ~size, data = labels)
without_fpc <- svydesign(ids = ~1, strata = ~stratum, probs = ~chance, data = labels)
proportion <- function(method) as.numeric(attr(svyciprop(~loss, with_fpc, method = method), "ci"))
stratified <- case("stratified",
  sizes = sizes, strata = labels$stratum, loss = labels$loss,
  mean = coef(mean_of(with_fpc)), standard_error = SE(mean_of(with_fpc)),
  standard_error_with_replacement = SE(mean_of(without_fpc)),
  degrees = degf(with_fpc), logit = proportion("logit"), beta = proportion("beta"))

# 2. The same strata, unequal numbers of labels, squared errors as losses.
counts <- c(7, 4, 9, 3)
errors <- data.frame(stratum = rep(0:3, counts))
errors$loss <- (((seq_along(errors$stratum) * 37) %% 23) / 10 * (errors$stratum + 1))^2
errors$size <- sizes[errors$stratum + 1]
design <- svydesign(ids = ~1, strata = ~stratum, fpc = ~size, data = errors)
regression <- case("regression",
  sizes = sizes, strata = errors$stratum, loss = errors$loss,
  mean = coef(mean_of(design)), standard_error = SE(mean_of(design)))

# 3. A simple random sample of 23 from 60, squared errors.
simple <- svydesign(ids = ~1, fpc = ~fpc, data = data.frame(loss = errors$loss, fpc = 60))
interval <- as.numeric(confint(mean_of(simple), df = degf(simple)))
simple_random <- case("simple_random",
  size = 60, loss = errors$loss, mean = coef(mean_of(simple)), standard_error = SE(mean_of(simple)), t = interval)

# 4. Draws with replacement and unequal chances: Hansen-Hurwitz is the total over N.
n <- 30
size <- 400
chance <- (1 + (seq_len(n) * 7) %% 11) / 2400
unequal <- data.frame(failed = as.numeric((seq_len(n) * 5) %% 13 < 4), chance = chance, expected = n * chance)
unequal$loss <- unequal$failed * (1 + (seq_len(n) %% 5) / 4)
design <- svydesign(ids = ~1, probs = ~expected, data = unequal)
total <- function(formula) svytotal(formula, design)
hansen_hurwitz <- case("hansen_hurwitz",
  size = size, probability = unequal$chance, failed = unequal$failed, loss = unequal$loss,
  failed_mean = coef(total(~failed)) / size, failed_standard_error = SE(total(~failed)) / size,
  loss_mean = coef(total(~loss)) / size, loss_standard_error = SE(total(~loss)) / size)

# 5. Strata drawn with replacement, each with its own chance, and one input of them each time: two stages.
strata <- data.frame(size = sizes, chance = c(0.1, 0.2, 0.3, 0.4))
met <- (seq_len(n) * 3) %% 10  # 0 to 9
stages <- data.frame(draw = seq_len(n), unit = 1, stratum = findInterval(met, c(1, 3, 6)))
stages$first <- n * strata$chance[stages$stratum + 1]
stages$second <- 1 / strata$size[stages$stratum + 1]
stages$failed <- unequal$failed
stages$loss <- unequal$loss
design <- svydesign(ids = ~draw + unit, probs = ~first + second, data = stages)
two_stage <- case("two_stage",
  sizes = sizes, chances = strata$chance, strata = stages$stratum, failed = stages$failed, loss = stages$loss,
  failed_mean = coef(total(~failed)) / sum(sizes), failed_standard_error = SE(total(~failed)) / sum(sizes),
  loss_mean = coef(total(~loss)) / sum(sizes), loss_standard_error = SE(total(~loss)) / sum(sizes))

# 6. The strata of case 2 with replacement.
errors$chance <- counts[errors$stratum + 1] / errors$size
design <- svydesign(ids = ~1, strata = ~stratum, probs = ~chance, data = errors)
with_replacement <- case("with_replacement",
  sizes = sizes, strata = errors$stratum, loss = errors$loss,
  mean = coef(mean_of(design)), standard_error = SE(mean_of(design)))

# 7. Parts of a set: accuracy by group, and the recall of what is called positive; srs, rrs, and draws with replacement.
parts <- data.frame(stratum = rep(0:3, c(12, 15, 18, 15)))
place <- seq_along(parts$stratum)
parts$size <- c(50, 30, 300, 1500)[parts$stratum + 1]
parts$group <- (place * 7) %% 3
parts$loss <- as.numeric((place * 11) %% 17 < 5)
parts$true <- as.numeric((place * 5) %% 4 < 2)
parts$both <- parts$true * (1 - parts$loss)
parts$side <- 1 - parts$loss
parts$whole <- 1880
parts$expected <- 60 * (1 + (place * 7) %% 11) / 24000
of_parts <- function(design) {
  groups <- svyby(~side, ~group, design, svymean)
  recall <- svyratio(~both, ~true, design)
  list(values = coef(groups), errors = SE(groups), recall = coef(recall), recall_error = as.numeric(SE(recall)))
}
designs <- list(
  srs = svydesign(ids = ~1, fpc = ~whole, data = parts),
  rrs = svydesign(ids = ~1, strata = ~stratum, fpc = ~size, data = parts),
  per_draw = svydesign(ids = ~1, probs = ~expected, data = parts))
found <- lapply(designs, of_parts)
of_one <- function(name) {
  one <- found[[name]]
  names(one) <- paste(name, names(one), sep = "_")
  lapply(one, as.numeric)
}
slices <- do.call(case, c(list("slices", strata = parts$stratum, group = parts$group, loss = parts$loss, true = parts$true,
  probability = parts$expected / 60), of_one("srs"), of_one("rrs"), of_one("per_draw")))

made_by <- case("made by",
  survey = as.character(packageVersion("survey")), R = paste(R.version$major, R.version$minor, sep = "."))
cases <- c(made_by, stratified, regression, simple_random, hansen_hurwitz, two_stage, with_replacement, slices)
cat("{", paste(cases, collapse = ",\n"), "}\n", sep = "\n")
