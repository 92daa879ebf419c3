# Reads sections in parallel, each with its own time limit, and reports each as soon as it is read.

function Invoke-Collect {
    param(
        [Parameter(Mandatory = $true)][string]$ScriptPath,
        [Parameter(Mandatory = $true)][AllowEmptyCollection()][string[]]$Sections,
        [AllowEmptyCollection()][object[]]$Probes = @(),
        # Parameters of Get-LogSection: how much of the logs is read.
        [hashtable]$Logs = @{},
        [Parameter(Mandatory = $true)][int]$SectionTimeoutMs,
        [Parameter(Mandatory = $true)][int]$DeadlineMs,
        # Called for each section with its name, its milliseconds, and its JSON text or error.
        [Parameter(Mandatory = $true)][scriptblock]$OnSection
    )
    $parallel = 6
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $pool = New-WorkPool -ScriptPath $ScriptPath
    $table = Get-SectionTable
    $waiting = New-Object -TypeName System.Collections.Queue
    foreach ($name in $Sections) {
        if ($table.Contains($name)) {
            $waiting.Enqueue($name)
        } else {
            & $OnSection $name 0 $null ([pscustomobject]@{ kind = 'CommandNotFound'; message = "This helper has no section '$name'" })
        }
    }
    $running = @{}
    while ($waiting.Count -gt 0 -or $running.Count -gt 0) {
        $left = $DeadlineMs - $clock.ElapsedMilliseconds
        if ($left -le 0) { break }
        while ($waiting.Count -gt 0 -and $running.Count -lt $parallel) {
            $name = $waiting.Dequeue()
            $parameters = @{ Name = $name; Probes = $Probes; Logs = $Logs }
            $limitMs = $SectionTimeoutMs
            if ($table[$name].ContainsKey('Slow')) { $limitMs = [math]::Max($limitMs, 30000) }
            $running[$name] = Start-Work -Pool $pool -Function Read-Section -Parameters $parameters -TimeoutMs $limitMs
        }
        $handles = [System.Threading.WaitHandle[]]@($running.Values | ForEach-Object -Process { $_.Handle.AsyncWaitHandle })
        [void][System.Threading.WaitHandle]::WaitAny($handles, [int][math]::Min($left, 100))
        foreach ($name in @($running.Keys)) {
            $work = $running[$name]
            if (-not $work.Handle.IsCompleted -and -not (Test-WorkOverdue -Work $work)) { continue }
            $result = Receive-Work -Pool $pool -Work $work
            $running.Remove($name)
            & $OnSection $name $work.Watch.ElapsedMilliseconds $result.Value $result.Error
        }
    }
    # After the deadline of the request, sections that were not read are reported as errors, never left out.
    foreach ($name in @($running.Keys) + @($waiting.ToArray())) {
        $message = "Not read before the deadline of the request ($DeadlineMs ms)"
        & $OnSection $name $clock.ElapsedMilliseconds $null ([pscustomobject]@{ kind = 'Timeout'; message = $message })
    }
}

# A section in the format of the wire.
function ConvertTo-SectionLine {
    param(
        [Parameter(Mandatory = $true)][string]$Name,
        [Parameter(Mandatory = $true)][long]$Milliseconds,
        [AllowNull()][AllowEmptyString()][string]$Json,
        [AllowNull()][object]$Failure
    )
    $start = '{"type":"section","name":"' + $Name + '","ms":' + $Milliseconds + ','
    if ($null -eq $Failure) { return $start + '"data":' + $Json + '}' }
    $start + '"error":' + (ConvertTo-JsonText -Value $Failure) + '}'
}

function Invoke-CollectRequest {
    param(
        [Parameter(Mandatory = $true)][psobject]$Writer,
        [Parameter(Mandatory = $true)][psobject]$Request,
        [Parameter(Mandatory = $true)][string]$ScriptPath,
        [Parameter(Mandatory = $true)][int]$DeadlineMs
    )
    $sections = @(Get-RequestList -Request $Request -Name sections)
    foreach ($name in $sections) {
        if ($name -isnot [string] -or $name -notmatch '^[A-Za-z]{1,40}\z') {
            throw (New-HelperError -Kind BadRequest -Message 'The name of a section must have 1 to 40 letters.')
        }
    }
    $maxAgeMs = Get-RequestNumber -Request $Request -Name maxAgeMs -Default 0 -Minimum 0 -Maximum 86400000
    if ($maxAgeMs -gt 0) {
        $kept = Read-Kept -ScriptPath $ScriptPath -MaxAgeMs $maxAgeMs
        if ($null -ne $kept) {
            Write-Message -Writer $Writer -Message ([ordered]@{ type = 'kept'; ageMs = $kept.AgeMs })
            foreach ($name in $sections) {
                if ($kept.Sections.ContainsKey($name)) { Write-Line -Writer $Writer -Json $kept.Sections[$name] }
            }
            # Others are read now, such as probes, whose targets are in the request.
            $sections = @($sections | Where-Object -FilterScript { -not $kept.Sections.ContainsKey($_) })
        }
    }
    $splatCollect = @{
        ScriptPath       = $ScriptPath
        Sections         = $sections
        Probes           = @(Get-RequestProbe -Request $Request)
        Logs             = @{
            Bytes      = Get-RequestNumber -Request $Request -Name logBytes -Default 16384 -Minimum 1024 -Maximum 1048576
            BytesInAll = Get-RequestNumber -Request $Request -Name logBytesInAll -Default ([int]::MaxValue) -Minimum 1024 -Maximum 16777216
        }
        SectionTimeoutMs = Get-RequestNumber -Request $Request -Name sectionTimeoutMs -Default 10000 -Minimum 100 -Maximum 600000
        DeadlineMs       = $DeadlineMs
        OnSection        = {
            param([string]$Name, [long]$Milliseconds, [AllowNull()][string]$Json, [AllowNull()][object]$Failure)
            Write-Line -Writer $Writer -Json (ConvertTo-SectionLine -Name $Name -Milliseconds $Milliseconds -Json $Json -Failure $Failure)
        }
    }
    Invoke-Collect @splatCollect
}
